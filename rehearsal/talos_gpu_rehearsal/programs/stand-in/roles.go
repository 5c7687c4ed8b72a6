package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A role is what the manifests ask of one container, or of a command of its probes and hooks. The roles of an image
// stand in stand-in.json beside the program.
type role struct {
	Words []string `json:"words"` // command and arguments, with $(VARIABLE) as in the manifest
	Ports []int    `json:"ports"`
	Ends  bool     `json:"ends"`
}

// The shells whose scripts start the program that serves.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true}

var variable = regexp.MustCompile(`(?:\\\$)+\\\(.*?\\\)`) // in a quoted expression

// is tells whether a command is that of a role. A $(VARIABLE) of the manifest is any text.
func (r role) is(words []string) bool {
	if len(words) != len(r.Words) {
		return false
	}
	for index, word := range r.Words {
		pattern := "(?s)^" + variable.ReplaceAllString(regexp.QuoteMeta(word), ".*") + "$"
		if matched, err := regexp.MatchString(pattern, words[index]); err != nil || !matched {
			return false
		}
	}
	return true
}

// roleOf is the role of a command, and whether it is that of a container. A command that the manifests do not name
// comes
// from a script: it is the program that serves if it took the place of its shell by exec, and else it ends.
func roleOf(words []string) (role, bool) {
	known := roles()
	for _, each := range known {
		if each.is(words) {
			return each, true
		}
	}
	for _, each := range known {
		if os.Getpid() == 1 && !each.Ends && len(each.Words) > 0 && shells[filepath.Base(each.Words[0])] {
			return each, true
		}
	}
	return role{}, false
}

// root is the folder of the program: that of the image's files.
func root() string {
	program, _ := os.Executable()
	return filepath.Dir(program)
}

func roles() []role {
	text, err := os.ReadFile(filepath.Join(root(), "stand-in.json"))
	if err != nil {
		return nil
	}
	var known []role
	_ = json.Unmarshal(text, &known)
	return known
}

// serve opens the ports of a role and answers every request.
func serve(own role) error {
	answer := func(writer http.ResponseWriter, request *http.Request) {
		if page := metrics(root()); request.URL.Path == "/metrics" && page != "" {
			_, _ = writer.Write([]byte(page))
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(writer).Encode(report(own.Words))
	}
	for _, port := range own.Ports {
		listener, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			return err
		}
		go func() { _ = http.Serve(listener, http.HandlerFunc(answer)) }()
	}
	return nil
}
