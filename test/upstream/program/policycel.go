package main

import (
	"encoding/json"
	"fmt"
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	admissioncel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

//go:linkname policyEnvironments k8s.io/apiserver/pkg/admission/plugin/cel.mustBuildEnvs
func policyEnvironments(base *environment.EnvSet) map[admissioncel.OptionalVariableDeclarations]*environment.EnvSet

var policyEnvs = policyEnvironments(celBase)

// policyCelQuestion is an expression of a policy with all variables, and their values.
type policyCelQuestion struct {
	Expression string                     `json:"expression"`
	Mutation   bool                       `json:"mutation"`
	Values     map[string]json.RawMessage `json:"values"`
	Authorizer authorizerRules            `json:"authorizer"`
}

func askPolicyCel(question json.RawMessage) (answer any, err error) {
	var asked policyCelQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	declared := admissioncel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true, HasPatchTypes: asked.Mutation}
	env := policyEnvs[declared].NewExpressionsEnv()
	variables := map[string]any{}
	for name, raw := range asked.Values {
		var value any
		if err := utiljson.Unmarshal(raw, &value); err != nil {
			return nil, err
		}
		variables[name] = value
	}
	alice := &user.DefaultInfo{Name: "alice", Groups: []string{"dev"}}
	attributes := admission.NewAttributesRecord(nil, nil, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "default", "web",
		schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "", admission.Create, nil, false, alice)
	variables[admissioncel.AuthorizerVarName] = library.NewAuthorizerVal(alice, asked.Authorizer)
	variables[admissioncel.RequestResourceAuthorizerVarName] = library.NewResourceAuthorizerVal(alice, asked.Authorizer, attributes)
	defer func() {
		if fault := recover(); fault != nil {
			answer = celAnswer{Panics: fmt.Sprint(fault)}
		}
	}()
	return evaluate(env, asked.Expression, &library.CostEstimator{}, variables), nil
}
