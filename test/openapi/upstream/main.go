// Command upstream builds the OpenAPI documents of custom resources as an upstream server does: with the builder of
// apiextensions-apiserver, merged as its controllers merge them. It reads a question (JSON) and answers it.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// question is what is to be documented.
type question struct {
	// Static is the document of version 2 without custom resources.
	Static *spec.Swagger `json:"static"`
	// Definitions are established CustomResourceDefinitions.
	Definitions []*apiextensionsv1.CustomResourceDefinition `json:"definitions"`
	// Documents are to be compared in their two forms.
	Documents []document `json:"documents"`
	// Remotes are merged with Static, in this order.
	Remotes []remote `json:"remotes"`
	// Legacy are documents of version 2 to be converted.
	Legacy []json.RawMessage `json:"legacy"`
}

// answer is the documents with custom resources.
type answer struct {
	V2 *spec.Swagger `json:"v2"`
	// V3 is by name: apis/GROUP/VERSION.
	V3 map[string]*spec3.OpenAPI `json:"v3"`
	// Differences are those of each of the question's documents.
	Differences []string `json:"differences"`
	// Merged is Static with the question's Remotes.
	Merged *spec.Swagger `json:"merged"`
	// Converted are those of the question's Legacy.
	Converted []*spec3.OpenAPI `json:"converted"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	out := answer{V3: map[string]*spec3.OpenAPI{}}
	for _, one := range asked.Documents {
		found, err := one.difference()
		if err != nil {
			return err
		}
		out.Differences = append(out.Differences, found)
	}
	out.Converted = convert(asked.Legacy)
	if len(asked.Remotes) > 0 {
		merged, err := mergeRemotes(asked.Static, asked.Remotes)
		if err != nil {
			return err
		}
		out.Merged = merged
		return json.NewEncoder(os.Stdout).Encode(out)
	}
	if asked.Static == nil {
		return json.NewEncoder(os.Stdout).Encode(out)
	}
	documents := []*spec.Swagger{}
	byName := map[string][]*spec3.OpenAPI{}
	for _, crd := range asked.Definitions {
		for _, version := range crd.Spec.Versions {
			if !version.Served {
				continue
			}
			v2, err := builder.BuildOpenAPIV2(crd, version.Name, builder.Options{V2: true, IncludeSelectableFields: true})
			if err != nil {
				return fmt.Errorf("%s %s: %w", crd.Name, version.Name, err)
			}
			v2.Definitions = handler.PruneDefaults(v2.Definitions)
			documents = append(documents, v2)
			v3, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{IncludeSelectableFields: true})
			if err != nil {
				return fmt.Errorf("%s %s: %w", crd.Name, version.Name, err)
			}
			name := "apis/" + crd.Spec.Group + "/" + version.Name
			byName[name] = append(byName[name], v3)
		}
	}
	var err error
	if out.V2, err = builder.MergeSpecs(asked.Static, documents...); err != nil {
		return err
	}
	for name, parts := range byName {
		if out.V3[name], err = builder.MergeSpecsV3(parts...); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
