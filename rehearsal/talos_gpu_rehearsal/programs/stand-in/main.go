// The stand-in takes the place of an image's own program in a rehearsal. It says what its container sees, and then
// behaves as the manifests ask: it serves the ports of the container and of its probes until SIGTERM, or ends at once,
// as the program of a Job.
//
// What is mocked, and never computed or downloaded:
//   - every HTTP request to a port is answered with 200 and the report, every TCP connection is taken;
//   - `curl` and `wget` ask addresses of the cluster, and write a line of text in place of a file to download;
//   - `hf`, `ollama`, `nvidia-mig-parted` and any other program that the manifests name end with 0;
//   - dcgm-exporter's /metrics has the counters of its file for the cards that nvidia-smi lists, all 0 but for the
//     memory;
//   - `/cuda-samples/sample` passes where a card's device node is in the container.
//
// Not mocked: the shell and its tools (the host's own), and nvidia-smi, which is there only if the node injects it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	name, words := filepath.Base(os.Args[0]), os.Args
	if name == "stand-in" { // the image's entry point: the manifest gives arguments alone
		words = os.Args[1:]
	}
	switch name {
	case "pause":
		done := ended()
		signal.Ignore(syscall.SIGCHLD) // the kernel then reaps the pod's orphans
		<-done
	case "curl", "wget":
		os.Exit(request(name, os.Args[1:]))
	case "sample":
		os.Exit(sample(os.Args[0]))
	default:
		if own, known := roleOf(words); known {
			play(words, own)
		} else {
			say(map[string]any{"stand-in": "ended", "by": "itself", "words": words})
		}
	}
}

// play says what the container sees, and serves or ends.
func play(words []string, own role) {
	say(report(words))
	if own.Ends {
		say(map[string]any{"stand-in": "ended", "by": "itself"})
		return
	}
	done := ended()
	if err := serve(own); err != nil {
		say(map[string]any{"stand-in": "failed", "error": err.Error()})
		os.Exit(1)
	}
	say(map[string]any{"stand-in": "serves", "ports": own.Ports})
	<-done
	say(map[string]any{"stand-in": "ended", "by": "SIGTERM"})
}

// ended is a channel that speaks when the kubelet ends the container.
func ended() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	return signals
}

// say prints one line of JSON.
func say(value any) {
	line, _ := json.Marshal(value)
	fmt.Println(string(line))
}
