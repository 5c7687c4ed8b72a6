package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The folder of dcgm-exporter's counters in its image, and the file in it with the label of the node.
const (
	exporterFolder  = "etc/dcgm-exporter"
	defaultCounters = "default-counters.csv"
	nodeLabel       = "node-label"
)

type counter struct{ name, kind, help string }

// metrics is the page of dcgm-exporter: each counter of its file for each card that nvidia-smi lists, with the
// exporter's own labels. The memory is that of the card, nothing is used, and every other value is 0. Empty in an image
// that is no exporter.
func metrics(root string) string {
	label, err := os.ReadFile(filepath.Join(root, exporterFolder, nodeLabel))
	if err != nil {
		return ""
	}
	path := os.Getenv("DCGM_EXPORTER_COLLECTORS")
	if path == "" {
		path = filepath.Join(root, exporterFolder, defaultCounters)
	}
	host := os.Getenv("NODE_NAME")
	if host == "" {
		host, _ = os.Hostname()
	}
	cards := cards()
	page := strings.Builder{}
	for _, each := range counters(path) {
		fmt.Fprintf(&page, "# HELP %s %s\n# TYPE %s %s\n", each.name, each.help, each.name, each.kind)
		for _, card := range cards {
			fmt.Fprintf(&page, "%s{gpu=%q,UUID=%q,device=%q,modelName=%q,%s=%q} %s\n",
				each.name, card[0], card[1], "nvidia"+card[0], card[2], strings.TrimSpace(string(label)), host, value(each.name, card[3]))
		}
	}
	return page.String()
}

// value is the value of a counter of a card with this memory in MiB.
func value(name, memory string) string {
	switch name {
	case "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_TOTAL":
		return memory
	case "DCGM_FI_DEV_FB_FREE_BYTES", "DCGM_FI_DEV_FB_CAPACITY_BYTES":
		mebibytes, _ := strconv.ParseInt(memory, 10, 64)
		return strconv.FormatInt(mebibytes<<20, 10)
	}
	return "0"
}

// counters are the gauges and counters of a file of dcgm-exporter.
func counters(path string) []counter {
	text, _ := os.ReadFile(path)
	found := []counter{}
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.SplitN(line, ",", 3)
		if strings.HasPrefix(strings.TrimSpace(line), "#") || len(fields) != 3 {
			continue
		}
		each := counter{strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), strings.TrimSpace(fields[2])}
		if each.kind == "gauge" || each.kind == "counter" {
			found = append(found, each)
		}
	}
	return found
}

// cards are index, UUID, name and memory of each card that the container sees.
func cards() [][]string {
	limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	output, _ := exec.CommandContext(limit, "nvidia-smi", "--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader,nounits").Output()
	found := [][]string{}
	for _, line := range strings.Split(string(output), "\n") {
		fields := strings.Split(line, ", ")
		if len(fields) == 4 {
			found = append(found, fields)
		}
	}
	return found
}
