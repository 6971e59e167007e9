package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/kube-openapi/pkg/aggregator"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// remote is the document of an extension server, and the prefix of the paths that its APIService has.
type remote struct {
	Prefix   string          `json:"prefix"`
	Document json.RawMessage `json:"document"`
}

// mergeRemotes merges documents in the way of kube-aggregator. A document that does not decode is left out.
func mergeRemotes(own *spec.Swagger, remotes []remote) (*spec.Swagger, error) {
	merged := &spec.Swagger{}
	*merged = *own
	merged.Paths, merged.Definitions, merged.Parameters = nil, nil, nil
	parts := []*spec.Swagger{own}
	for _, one := range remotes {
		document := &spec.Swagger{}
		if err := document.UnmarshalJSON(one.Document); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		parts = append(parts, aggregator.FilterSpecByPathsWithoutSideEffects(document, []string{one.Prefix}))
	}
	for i, part := range parts {
		if err := aggregator.MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters(merged, part); err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
	}
	return merged, nil
}
