package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"time"
)

// The folders where a program's loader, or NVIDIA's tools, look for the driver's libraries.
var libraryFolders = []string{
	"/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu", "/lib", "/lib64", "/usr/local/lib", "/usr/local/glibc/usr/lib", "/usr/local/nvidia/lib*",
	"/driver-root/usr/lib*", "/driver-root/lib*",
}

var (
	driverLibrary = regexp.MustCompile(`^lib(cuda|nvidia-|nvcuvid|EGL_nvidia|GLX_nvidia)[^/]*\.so`)
	secret        = regexp.MustCompile(`(?i)key|token|secret|password|passwd|credential`)
	kernelFiles   = map[string]bool{"proc": true, "sysfs": true, "cgroup": true, "cgroup2": true, "devpts": true, "mqueue": true}
)

// report is what a container sees.
func report(words []string) map[string]any {
	mounts := mounts()
	return map[string]any{
		"stand-in":    "started",
		"words":       words,
		"environment": environment(),
		"devices":     devices(),
		"mounts":      mounts,
		"read_only":   readOnly(mounts),
		"shm_bytes":   size("/dev/shm"),
		"libraries":   libraries(),
		"ld_cache":    cached("/etc/ld.so.cache"),
		"uid":         os.Getuid(),
		"gid":         os.Getgid(),
		"groups":      groups(),
		"nvidia_smi":  nvidiaSmi(),
	}
}

// environment is every variable, without the values of secrets.
func environment() map[string]string {
	values := map[string]string{}
	for _, each := range os.Environ() {
		name, value, _ := strings.Cut(each, "=")
		if secret.MatchString(name) {
			value = "(not shown)"
		}
		values[name] = value
	}
	return values
}

type device struct {
	Path  string `json:"path"`
	Major uint64 `json:"major"`
	Minor uint64 `json:"minor"`
	Open  string `json:"open"` // "yes", or the kernel's refusal: an allowed device without a driver has "no such device or address"
}

// devices are NVIDIA's device nodes and those of the graphics system.
func devices() []device {
	found := []device{}
	for _, pattern := range []string{"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/nvidia-caps-imex-channels/*", "/dev/dri/*", "/dev/vfio/*"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			var status syscall.Stat_t
			if syscall.Lstat(path, &status) != nil || status.Mode&syscall.S_IFMT != syscall.S_IFCHR {
				continue
			}
			number := uint64(status.Rdev)
			major, minor := number>>8&0xfff|number>>32&^0xfff, number&0xff|number>>12&^0xff&0xffffffff
			found = append(found, device{path, major, minor, opens(path)})
		}
	}
	return found
}

func opens(path string) string {
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		var refusal *fs.PathError
		if errors.As(err, &refusal) {
			return refusal.Err.Error()
		}
		return err.Error()
	}
	_ = file.Close()
	return "yes"
}

type mount struct {
	Path     string `json:"path"`
	Type     string `json:"type"`
	ReadOnly bool   `json:"read_only"`
}

// mounts are the container's mounts, without those of the kernel's own files.
func mounts() []mount {
	found := []mount{}
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		before, after, _ := strings.Cut(lines.Text(), " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 6 || len(kind) == 0 || kernelFiles[kind[0]] || strings.HasPrefix(fields[4], "/proc/") || strings.HasPrefix(fields[4], "/sys/") {
			continue
		}
		found = append(found, mount{fields[4], kind[0], strings.HasPrefix(fields[5]+",", "ro,")})
	}
	return found
}

func readOnly(all []mount) bool {
	for _, each := range all {
		if each.Path == "/" {
			return each.ReadOnly
		}
	}
	return false
}

func size(path string) int64 {
	var status syscall.Statfs_t
	if syscall.Statfs(path, &status) != nil {
		return 0
	}
	return int64(status.Blocks) * int64(status.Bsize)
}

// libraries are the driver's libraries in the usual folders.
func libraries() []string {
	paths := map[string]bool{}
	for _, pattern := range libraryFolders {
		files, _ := filepath.Glob(pattern + "/lib*.so*")
		for _, path := range files {
			folder, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err == nil && driverLibrary.MatchString(filepath.Base(path)) {
				paths[filepath.Join(folder, filepath.Base(path))] = true
			}
		}
	}
	return sorted(paths)
}

// cached are the driver's libraries that the loader's cache names.
func cached(cache string) []string {
	paths := map[string]bool{}
	text, _ := os.ReadFile(cache)
	for _, each := range bytes.Split(text, []byte{0}) {
		if path := string(each); strings.HasPrefix(path, "/") && driverLibrary.MatchString(filepath.Base(path)) {
			paths[path] = true
		}
	}
	return sorted(paths)
}

func sorted(paths map[string]bool) []string {
	found := make([]string, 0, len(paths))
	for path := range paths {
		found = append(found, path)
	}
	sort.Strings(found)
	return found
}

func groups() []int {
	found, _ := os.Getgroups()
	return append([]int{}, found...)
}

// nvidiaSmi is what nvidia-smi says, where the node injected it: NVML's own view of the container.
func nvidiaSmi() map[string]any {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	output, err := exec.CommandContext(limit, path, "-L").CombinedOutput()
	status := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		status = ended.ExitCode()
	} else if err != nil {
		status, output = -1, []byte(err.Error())
	}
	return map[string]any{"path": path, "status": status, "output": strings.TrimSpace(string(output))}
}
