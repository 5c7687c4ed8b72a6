package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// The flags of curl and wget whose value is the next word.
var withValue = map[string]bool{
	"--config": true, "-K": true, "--connect-timeout": true, "--continue-at": true, "-C": true, "--data": true, "-d": true, "--header": true, "-H": true,
	"--max-time": true, "-m": true, "--output": true, "-o": true, "-O": true, "--request": true, "-X": true, "--retry": true, "--retry-delay": true,
	"--timeout": true, "-T": true, "--tries": true, "-t": true, "--user": true, "-u": true, "--write-out": true, "-w": true,
}

// The exit codes of curl.
const (
	badAddress   = 3
	noConnection = 7
	notWritten   = 23
	httpError    = 22
)

// request asks an address as curl and wget do. A file to download is not asked for: its place gets a line of text.
func request(name string, words []string) int {
	method, address, output, fails := http.MethodGet, "", "", name == "wget"
	for index := 0; index < len(words); index++ {
		word, value := words[index], ""
		if withValue[word] && !(name == "curl" && word == "-O") && index+1 < len(words) {
			index++
			value = words[index]
		}
		switch {
		case word == "--output" || word == "-o" || word == "-O":
			output = value
		case word == "--request" || word == "-X":
			method = value
		case strings.HasPrefix(word, "--fail") || regexp.MustCompile(`^-[a-zA-Z]*f[a-zA-Z]*$`).MatchString(word):
			fails = true
		case !strings.HasPrefix(word, "-"):
			address = word
		}
	}
	if output != "" && output != "-" && output != os.DevNull {
		fmt.Printf("stand-in: %s is not downloaded: a line of text stands in %s\n", address, output)
		if os.WriteFile(output, []byte("a stand-in for "+address+"\n"), 0o644) != nil {
			return notWritten
		}
		return 0
	}
	return answerOf(method, address, output, fails)
}

// answerOf asks a server, and prints its answer.
func answerOf(method, address, output string, fails bool) int {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	asked, err := http.NewRequest(method, address, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return badAddress
	}
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Do(asked)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return noConnection
	}
	defer answer.Body.Close()
	if output != os.DevNull {
		_, _ = io.Copy(os.Stdout, answer.Body)
	}
	if fails && answer.StatusCode >= http.StatusBadRequest {
		return httpError
	}
	return 0
}

// sample stands for NVIDIA's sample that adds two vectors: it adds nothing, and passes where the container has a card's
// device node.
func sample(program string) int {
	fmt.Println("[Vector addition of 50000 elements]")
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	if len(cards) == 0 {
		fmt.Fprintln(os.Stderr, "Failed to allocate device vector A (error code no CUDA-capable device is detected)!")
		return 1
	}
	fmt.Printf("stand-in: %s computes nothing; the container has %s\nTest PASSED\nDone\n", program, strings.Join(cards, ", "))
	return 0
}
