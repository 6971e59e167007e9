package main

import (
	"context"
	"encoding/base64"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

var (
	claimCompiler     = authenticationcel.NewDefaultCompiler()
	conditionCompiler = authorizationcel.NewDefaultCompiler()
	configCodecs      = serializer.NewCodecFactory(configScheme, serializer.EnableStrict)
)

// anySignature takes every signature.
type anySignature struct{}

func (anySignature) VerifySignature(_ context.Context, token string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
}

// outcome is what an expression leads to: a value, or the text of an error.
type outcome struct {
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

// askToken compiles the expressions of the first issuer of a configuration, and authenticates a token.
func askToken(asked struct{ Configuration, Token string }) any {
	decoded, err := runtime.Decode(configCodecs.UniversalDecoder(), []byte(asked.Configuration))
	if err != nil {
		return outcome{Error: err.Error()}
	}
	found := decoded.(*apiserver.AuthenticationConfiguration)
	if err := validation.ValidateAuthenticationConfiguration(claimCompiler, found, nil).ToAggregate(); err != nil {
		return outcome{Error: err.Error()}
	}
	tokens, err := oidc.New(context.Background(), oidc.Options{
		JWTAuthenticator:     found.JWT[0],
		KeySet:               anySignature{},
		Compiler:             claimCompiler,
		SupportedSigningAlgs: oidc.AllValidSigningAlgorithms(),
	})
	if err != nil {
		return outcome{Error: err.Error()}
	}
	response, ok, err := tokens.AuthenticateToken(context.Background(), asked.Token)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	if !ok {
		return outcome{}
	}
	user := response.User
	return outcome{Value: map[string]any{"name": user.GetName(), "uid": user.GetUID(), "groups": user.GetGroups(), "extra": user.GetExtra()}}
}

// askAccessMatch compiles the conditions of a webhook, and evaluates them for an access.
func askAccessMatch(asked struct {
	Conditions []string
	Spec       authorizationv1.SubjectAccessReviewSpec
}) any {
	conditions := []apiserver.WebhookMatchCondition{}
	for _, text := range asked.Conditions {
		conditions = append(conditions, apiserver.WebhookMatchCondition{Expression: text})
	}
	matcher, faults := validation.ValidateAndCompileMatchConditions(conditionCompiler, conditions)
	if err := faults.ToAggregate(); err != nil {
		return outcome{Error: err.Error()}
	}
	matches, err := matcher.Eval(context.Background(), &authorizationv1.SubjectAccessReview{Spec: asked.Spec})
	if err != nil {
		return outcome{Error: err.Error()}
	}
	return outcome{Value: matches}
}
