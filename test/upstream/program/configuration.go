package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quotavalidation "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/validation"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/load"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/audit/policy"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	tracing "k8s.io/component-base/tracing/api/v1"
	podsecurityapi "k8s.io/pod-security-admission/admission/api"
	podsecurity "k8s.io/pod-security-admission/admission/api/load"
	podsecurityvalidation "k8s.io/pod-security-admission/admission/api/validation"
)

// configuration is a file. Some readers only take its path.
type configuration struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

//go:linkname loadEncryption k8s.io/apiserver/pkg/server/options/encryptionconfig.loadConfig
func loadEncryption(path string, reload bool) (*apiserver.EncryptionConfiguration, string, error)

// encryption reads a file, and makes its transformers unless that would start plugins.
func encryption(file configuration, reload bool) (any, error) {
	if strings.Contains(strings.ToLower(file.Text), "kms") {
		_, _, err := loadEncryption(file.Path, reload)
		return nil, err
	}
	_, err := encryptionconfig.LoadEncryptionConfig(context.Background(), file.Path, reload, "id")
	return nil, err
}

var configScheme = runtime.NewScheme()

func init() {
	install.Install(configScheme)
}

// configurations return the configuration of a file, without what a program decides on its own.
var configurations = map[string]func(configuration) (any, error){
	"authentication": func(file configuration) (any, error) {
		codecs := serializer.NewCodecFactory(configScheme, serializer.EnableStrict)
		decoded, err := runtime.Decode(codecs.UniversalDecoder(), []byte(file.Text))
		if err != nil {
			return nil, err
		}
		found, ok := decoded.(*apiserver.AuthenticationConfiguration)
		if !ok {
			return nil, errors.New("expected AuthenticationConfiguration")
		}
		compiler := authenticationcel.NewDefaultCompiler()
		return nil, validation.ValidateAuthenticationConfiguration(compiler, found, []string{"https://own.example"}).ToAggregate()
	},
	"authorization": func(file configuration) (any, error) {
		found, err := load.LoadFromData([]byte(file.Text))
		if err != nil {
			return nil, err
		}
		known := sets.New("AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node")
		return nil, validation.ValidateAuthorizationConfiguration(authorizationcel.NewDefaultCompiler(), nil, found, known, sets.New("Webhook")).ToAggregate()
	},
	"audit": func(file configuration) (any, error) {
		_, err := policy.LoadPolicyFromBytes([]byte(file.Text))
		return nil, err
	},
	"encryption":           func(file configuration) (any, error) { return encryption(file, false) },
	"reloadableEncryption": func(file configuration) (any, error) { return encryption(file, true) },
	"tracing": func(file configuration) (any, error) {
		found, err := options.ReadTracingConfiguration(file.Path)
		if err != nil {
			return nil, err
		}
		return nil, tracing.ValidateTracingConfiguration(found, nil, nil).ToAggregate()
	},
	"egress": func(file configuration) (any, error) {
		found, err := egressselector.ReadEgressSelectorConfiguration(file.Path)
		if err != nil {
			return nil, err
		}
		return nil, egressselector.ValidateEgressSelectorConfiguration(found).ToAggregate()
	},
	"admission": func(file configuration) (any, error) {
		// The files of plugins are read later, and one that is missing ends the process.
		_, err := admission.ReadAdmissionConfiguration([]string{"A", "B"}, file.Path, configScheme)
		return nil, err
	},
	"podSecurity": func(file configuration) (any, error) {
		found, err := podsecurity.LoadFromData([]byte(file.Text))
		if err != nil {
			return nil, err
		}
		if _, err := podsecurityapi.ToPolicy(found.Defaults); err != nil {
			return nil, err
		}
		return found, podsecurityvalidation.ValidatePodSecurityConfiguration(found).ToAggregate()
	},
	"resourceQuota": func(file configuration) (any, error) {
		found, err := resourcequota.LoadConfiguration(bytes.NewReader([]byte(file.Text)))
		if err != nil {
			return nil, err
		}
		return nil, quotavalidation.ValidateConfiguration(found).ToAggregate()
	},
}

func askConfiguration(question json.RawMessage) (any, error) {
	var asked struct {
		Type string `json:"type"`
		configuration
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	read, ok := configurations[asked.Type]
	if !ok {
		return nil, errors.New("no such type")
	}
	found, err := read(asked.configuration)
	if err != nil {
		return map[string]any{"error": err.Error()}, nil
	}
	return map[string]any{"configuration": found}, nil
}
