// adapter-validate reads rules of the prometheus-adapter and a series, and prints what the adapter's own code makes of them.
//
// Standard input is JSON: {"rules": "the text of config.yaml", "series": {"name": "…", "labels": {"pod": "…"}}, "namespace": "…", "pod": "…"}.
// Standard output is JSON: the metric's name, its resources, and the query for the pod.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	prom "sigs.k8s.io/prometheus-adapter/pkg/client"
	"sigs.k8s.io/prometheus-adapter/pkg/config"
	"sigs.k8s.io/prometheus-adapter/pkg/naming"
)

type input struct {
	Rules  string `json:"rules"`
	Series struct {
		Name   string         `json:"name"`
		Labels model.LabelSet `json:"labels"`
	} `json:"series"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
}

type served struct {
	Selector  string   `json:"selector"`
	Name      string   `json:"name"`
	Resources []string `json:"resources"`
	Query     string   `json:"query"`
}

func main() {
	found, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}

func run() ([]served, error) {
	var given input
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		return nil, err
	}
	parsed, err := config.FromYAML([]byte(given.Rules))
	if err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	namers, err := naming.NamersFromConfig(parsed.Rules, mapper)
	if err != nil {
		return nil, err
	}
	series := prom.Series{Name: given.Series.Name, Labels: given.Series.Labels}
	found := []served{}
	for _, namer := range namers {
		if len(namer.FilterSeries([]prom.Series{series})) == 0 {
			continue
		}
		name, err := namer.MetricNameForSeries(series)
		if err != nil {
			return nil, err
		}
		one := served{Selector: string(namer.Selector()), Name: name}
		resources, _ := namer.ResourcesForSeries(series)
		for _, each := range resources {
			one.Resources = append(one.Resources, each.Resource)
		}
		query, err := namer.QueryForSeries(series.Name, schema.GroupResource{Resource: "pods"}, given.Namespace, labels.Everything(), given.Pod)
		if err != nil {
			return nil, err
		}
		one.Query = string(query)
		found = append(found, one)
	}
	return found, nil
}
