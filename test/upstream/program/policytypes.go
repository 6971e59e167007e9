package main

import (
	"encoding/json"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// policyTypesQuestion is a policy, and the schemas of all kinds by their names in an OpenAPI document.
type policyTypesQuestion struct {
	Policy  admissionregistrationv1.ValidatingAdmissionPolicy `json:"policy"`
	Schemas map[string]*spec.Schema                           `json:"schemas"`
	// Kinds by their resources.
	Kinds map[string]schema.GroupVersionKind `json:"kinds"`
	// Names of schemas by kinds.
	Names map[string]string `json:"names"`
}

type policyTypesAnswer struct {
	Warnings []admissionregistrationv1.ExpressionWarning `json:"warnings"`
	Panics   bool                                        `json:"panics,omitempty"`
}

// askPolicyTypes checks the types in a policy's expressions.
func askPolicyTypes(question json.RawMessage) (answer any, err error) {
	var asked policyTypesQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for resource, kind := range asked.Kinds {
		plural := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: resource}
		mapper.AddSpecific(kind, plural, plural, meta.RESTScopeRoot)
	}
	checker := validating.TypeChecker{SchemaResolver: &asked, RestMapper: mapper}
	defer func() {
		if recover() != nil {
			answer, err = policyTypesAnswer{Panics: true}, nil
		}
	}()
	return policyTypesAnswer{Warnings: checker.Check(&asked.Policy)}, nil
}

const openAPIPrefix = "#/components/schemas/"

func (p *policyTypesQuestion) ResolveSchema(kind schema.GroupVersionKind) (*spec.Schema, error) {
	name, ok := p.Names[kind.Kind]
	if !ok {
		return nil, resolver.ErrSchemaNotFound
	}
	return resolver.PopulateRefs(func(ref string) (*spec.Schema, bool) {
		found, ok := p.Schemas[strings.TrimPrefix(ref, openAPIPrefix)]
		return found, ok
	}, openAPIPrefix+name)
}
