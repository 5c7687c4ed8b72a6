// Command oci-runtime stands before runc on a node of a rehearsal. It changes the specification of a container in a few
// places before runc reads it, and is then replaced by runc:
//
//   - The filter of system calls goes: our runc is built without libseccomp, which no registry of Go modules has.
//   - Hooks mount the node's /proc/driver, /proc/modules and /proc/devices over the container's. Each container has a
//     /proc of its own, where the kernel of a machine without a card has nothing of NVIDIA.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

const runc = "/system/runc/runc"

// shown is what a container sees of the node's kernel.
var shown = []string{"/proc/driver", "/proc/modules", "/proc/devices"}

func main() {
	if slices.Contains(os.Args, "create") {
		if err := change(bundle(os.Args)); err != nil {
			fmt.Fprintf(os.Stderr, "oci-runtime: %v\n", err)
			os.Exit(1)
		}
	}
	err := syscall.Exec(runc, append([]string{"runc"}, os.Args[1:]...), os.Environ())
	fmt.Fprintf(os.Stderr, "oci-runtime: %s: %v\n", runc, err)
	os.Exit(1)
}

// bundle is the folder of a container, which is the working folder if no argument says otherwise.
func bundle(arguments []string) string {
	for i, argument := range arguments[:len(arguments)-1] {
		if argument == "--bundle" || argument == "-b" {
			return arguments[i+1]
		}
	}
	return "."
}

func change(bundle string) error {
	path := filepath.Join(bundle, "config.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var spec map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&spec); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if linux, ok := spec["linux"].(map[string]any); ok {
		delete(linux, "seccomp")
		// A privileged container may write these, and the kernel is that of this machine.
		add(linux, "readonlyPaths", "/proc/sys")
		add(linux, "maskedPaths", "/proc/sysrq-trigger")
	}
	for _, path := range shown {
		if _, err := os.Stat(path); err != nil { // a kernel without modules has no list of them
			continue
		}
		addHook(spec, path, filepath.Join(root(spec, bundle), path))
	}
	if text, err = json.Marshal(spec); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// add appends a path to a list that lacks it.
func add(table map[string]any, name, path string) {
	list, _ := table[name].([]any)
	if !slices.Contains(list, any(path)) {
		table[name] = append(list, path)
	}
}

// root is the folder of the container's root.
func root(spec map[string]any, bundle string) string {
	path := "rootfs"
	if root, ok := spec["root"].(map[string]any); ok {
		if given, ok := root["path"].(string); ok {
			path = given
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(bundle, path)
}

// addHook lets runc mount a path of the node when the mounts of the container stand and its root is not yet changed.
func addHook(spec map[string]any, source, target string) {
	hooks, ok := spec["hooks"].(map[string]any)
	if !ok {
		hooks = map[string]any{}
		spec["hooks"] = hooks
	}
	others, _ := hooks["createContainer"].([]any)
	mount := map[string]any{"path": "/usr/bin/mount", "args": []string{"mount", "--rbind", source, target}}
	hooks["createContainer"] = append([]any{mount}, others...)
}
