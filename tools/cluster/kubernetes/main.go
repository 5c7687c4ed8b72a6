// Command kubernetes is the control plane of the laboratory in one file, so that what its programs share is compiled, linked and stored once. The name
// by which it is called chooses the program.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Each program is made when it is called, since two of them would register the same flags and metrics.
var programs = map[string]func() *cobra.Command{
	"kube-apiserver":          func() *cobra.Command { return apiserver.NewAPIServerCommand() },
	"kube-controller-manager": func() *cobra.Command { return controllers.NewControllerManagerCommand() },
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := filepath.Base(os.Args[0])
	program, known := programs[name]
	if !known {
		fmt.Fprintf(os.Stderr, "kubernetes must be called as kube-apiserver, kube-controller-manager or kube-scheduler (got %q)\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(program()))
}
