// Command oci-runtime stands before runc on a node of a rehearsal. It changes the specification of a container in a few
// places before runc reads it, and is then replaced by runc:
//
//   - The filter of system calls goes: our runc is built without libseccomp, which no registry of Go modules has.
//   - Hooks mount the node's /proc/driver, /proc/modules and /proc/devices over the container's. Each container has a
//     /proc of its own, where the kernel of a machine without a card has nothing of NVIDIA.
//   - What is read-only on the node stays so in a container that asks for it with the right to write, as on Talos. So does
//     /sys, which is that of this machine.
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

// readOnly is ST_RDONLY of statfs(2).
const readOnly = 1

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
	mounts, _ := spec["mounts"].([]any)
	for _, each := range mounts {
		if mount, ok := each.(map[string]any); ok && isReadOnly(mount) {
			take(mount, "options", "rw")
			add(mount, "options", "ro")
		}
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

// has tells whether a list has a word.
func has(table map[string]any, name, word string) bool {
	list, _ := table[name].([]any)
	return slices.Contains(list, any(word))
}

// add appends a word to a list that lacks it.
func add(table map[string]any, name, word string) {
	if !has(table, name, word) {
		list, _ := table[name].([]any)
		table[name] = append(list, word)
	}
}

// take removes a word from a list.
func take(table map[string]any, name, word string) {
	list, _ := table[name].([]any)
	table[name] = slices.DeleteFunc(list, func(each any) bool { return each == any(word) })
}

// isReadOnly tells whether a container may not write to a mount, whatever its pod asks for.
func isReadOnly(mount map[string]any) bool {
	if mount["type"] == "sysfs" {
		return true
	}
	var place syscall.Statfs_t
	source, _ := mount["source"].(string)
	isBind := mount["type"] == "bind" || has(mount, "options", "bind") || has(mount, "options", "rbind")
	return isBind && syscall.Statfs(source, &place) == nil && place.Flags&readOnly != 0
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
