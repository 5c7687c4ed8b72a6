// Command omni-validate reads a cluster template or resources by Omni's own library, and prints the type and the ID of each resource.
// An error of Omni goes to standard error, with exit status 1.
//
//	omni-validate template < cluster.yaml
//	omni-validate resources < resources.yaml
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/siderolabs/omni/client/pkg/omni/resources/omni"
	"github.com/siderolabs/omni/client/pkg/template"
	"go.yaml.in/yaml/v4"
)

func main() {
	run := map[string]func() error{"template": validateTemplate, "resources": validateResources}
	if len(os.Args) != 2 || run[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: omni-validate template|resources < FILE")
		os.Exit(2)
	}

	if err := run[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// validateTemplate validates and translates a template, as omnictl cluster template validate and render do.
func validateTemplate() error {
	loaded, err := template.Load(os.Stdin)
	if err != nil {
		return err
	}

	if err = loaded.Validate(); err != nil {
		return err
	}

	resources, err := loaded.Translate()
	if err != nil {
		return err
	}

	for _, resource := range resources {
		fmt.Println(resource.Metadata().Type(), resource.Metadata().ID())
	}

	return nil
}

// validateResources decodes resources as omnictl apply does, and validates each ConfigPatch, as Omni's server does.
func validateResources() error {
	decoder := yaml.NewDecoder(os.Stdin)

	for {
		var decoded protobuf.YAMLResource

		err := decoder.Decode(&decoded)
		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return err
		}

		resource := decoded.Resource()
		fmt.Println(resource.Metadata().Type(), resource.Metadata().ID())

		patch, ok := resource.(*omni.ConfigPatch)
		if !ok {
			continue
		}

		data, err := patch.TypedSpec().Value.GetUncompressedData()
		if err != nil {
			return err
		}

		err = omni.ValidateConfigPatch(data.Data())
		data.Free()

		if err != nil {
			return err
		}
	}
}
