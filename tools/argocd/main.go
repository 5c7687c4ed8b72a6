// Command applicationset-controller runs the ApplicationSet controller of Argo CD with the generators of clusters and of git folders. The folders of every
// git repository are those of one folder of this machine, in the place of the repo server.
package main

import (
	"context"
	"flag"
	"io/fs"
	"log"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/metrics"
	"github.com/argoproj/argo-cd/v3/applicationset/services"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/db"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	server "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// repository answers for the repo server.
type repository struct {
	services.Repos
	root string
}

func (r repository) GetDirectories(context.Context, string, string, string, bool, bool) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != r.root {
			folder, _ := filepath.Rel(r.root, path)
			folders = append(folders, folder)
		}
		return err
	})
	return folders, err
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	namespace := flag.String("namespace", "argocd", "the namespace of Argo CD")
	root := flag.String("repository", "", "the folder that every git repository has")
	flag.Parse()
	ctx := ctrl.SetupSignalHandler()
	config := ctrl.GetConfigOrDie()
	config.QPS, config.Burst = 1000, 1000
	kinds := scheme.Scheme
	if err := v1alpha1.AddToScheme(kinds); err != nil {
		log.Fatal(err)
	}
	manager := must(ctrl.NewManager(config, ctrl.Options{
		Scheme:  kinds,
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{*namespace: {}}},
	}))
	clients := must(kubernetes.NewForConfig(config))
	measured := metrics.NewApplicationsetMetrics(utils.NewAppsetLister(manager.GetClient()), nil, func(*v1alpha1.ApplicationSet) bool { return true })
	reconciler := &controllers.ApplicationSetReconciler{
		Client: manager.GetClient(),
		Scheme: kinds,
		Generators: map[string]generators.Generator{
			"Clusters": generators.NewClusterGenerator(ctx, manager.GetClient(), clients, *namespace),
			"Git":      generators.NewGitGenerator(repository{root: *root}, *namespace),
		},
		Recorder:                 manager.GetEventRecorderFor("applicationset-controller"),
		Renderer:                 &utils.Render{},
		Policy:                   utils.Policies[""],
		EnablePolicyOverride:     true,
		KubeClientset:            clients,
		ArgoDB:                   db.NewDB(*namespace, settings.NewSettingsManager(ctx, clients, *namespace), clients),
		ArgoCDNamespace:          *namespace,
		ApplicationSetNamespaces: []string{*namespace},
		Metrics:                  &measured,
	}
	if err := reconciler.SetupWithManager(manager, false, 10); err != nil {
		log.Fatal(err)
	}
	log.Fatal(manager.Start(ctx))
}
