// Command upstream answers what upstream's library says about authentication configurations and tokens. It reads a
// question in JSON and writes the answers in the same order.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

type question struct {
	// Configurations are files.
	Configurations    []string `json:"configurations"`
	DisallowedIssuers []string `json:"disallowedIssuers"`
	// Tokens are asked about one after the other. Their signatures count as valid.
	Tokens []struct {
		Configuration string `json:"configuration"`
		Token         string `json:"token"`
	} `json:"tokens"`
}

type user struct {
	Name   string              `json:"name"`
	UID    string              `json:"uid,omitempty"`
	Groups []string            `json:"groups"`
	Extra  map[string][]string `json:"extra"`
}

type answer struct {
	Error string `json:"error,omitempty"`
	User  *user  `json:"user,omitempty"`
}

// anySignature takes every signature.
type anySignature struct{}

func (anySignature) VerifySignature(_ context.Context, jwt string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.Split(jwt, ".")[1])
}

var scheme = runtime.NewScheme()
var codecs = serializer.NewCodecFactory(scheme, serializer.EnableStrict)

func decode(file string) (*apiserver.AuthenticationConfiguration, error) {
	decoded, err := runtime.Decode(codecs.UniversalDecoder(), []byte(file))
	if err != nil {
		return nil, err
	}
	return decoded.(*apiserver.AuthenticationConfiguration), nil
}

func aboutConfiguration(compiler authenticationcel.Compiler, file string, disallowed []string) answer {
	configuration, err := decode(file)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if err := validation.ValidateAuthenticationConfiguration(compiler, configuration, disallowed).ToAggregate(); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{}
}

func aboutToken(compiler authenticationcel.Compiler, file, token string) answer {
	configuration, err := decode(file)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var tokens authenticator.Token
	tokens, err = oidc.New(context.Background(), oidc.Options{
		JWTAuthenticator:     configuration.JWT[0],
		KeySet:               anySignature{},
		Compiler:             compiler,
		SupportedSigningAlgs: oidc.AllValidSigningAlgorithms(),
	})
	if err != nil {
		return answer{Error: err.Error()}
	}
	response, ok, err := tokens.AuthenticateToken(context.Background(), token)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if !ok {
		return answer{}
	}
	info := response.User
	return answer{User: &user{Name: info.GetName(), UID: info.GetUID(), Groups: info.GetGroups(), Extra: info.GetExtra()}}
}

func main() {
	install.Install(scheme)
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	compiler := authenticationcel.NewDefaultCompiler()
	var answers struct {
		Configurations []answer `json:"configurations"`
		Tokens         []answer `json:"tokens"`
	}
	for _, file := range asked.Configurations {
		answers.Configurations = append(answers.Configurations, aboutConfiguration(compiler, file, asked.DisallowedIssuers))
	}
	for _, one := range asked.Tokens {
		answers.Tokens = append(answers.Tokens, aboutToken(compiler, one.Configuration, one.Token))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
