package main

import (
	"encoding/json"

	"k8s.io/kube-openapi/pkg/openapiconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// convert converts documents of version 2 in the way of kube-aggregator. The answer to one that does not decode is null.
func convert(documents []json.RawMessage) []*spec3.OpenAPI {
	converted := []*spec3.OpenAPI{}
	for _, one := range documents {
		document := &spec.Swagger{}
		if err := document.UnmarshalJSON(one); err != nil {
			converted = append(converted, nil)
			continue
		}
		converted = append(converted, openapiconv.ConvertV2ToV3(document))
	}
	return converted
}
