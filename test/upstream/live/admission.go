package main

import (
	"encoding/json"
	"os"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

// webhooks are the configurations of a file.
type webhooks struct {
	Mutating   admissionregistrationv1.MutatingWebhookConfiguration   `json:"mutating"`
	Validating admissionregistrationv1.ValidatingWebhookConfiguration `json:"validating"`
}

// applyWebhooks lets a server ask the admission webhooks of a file, which never change.
func applyWebhooks(config *genericapiserver.Config, path string, stop <-chan struct{}) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var found webhooks
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	client := fake.NewSimpleClientset([]runtime.Object{&found.Mutating, &found.Validating, namespace}...)
	shared := informers.NewSharedInformerFactory(client, 0)
	mutate, err := mutating.NewMutatingWebhook(nil)
	if err != nil {
		return err
	}
	validate, err := validating.NewValidatingAdmissionWebhook(nil)
	if err != nil {
		return err
	}
	resolver := webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, config.TracerProvider)
	initializers := admission.PluginInitializers{
		webhookinit.NewPluginInitializer(resolver, noServices{}),
		initializer.New(client, nil, shared, config.Authorization.Authorizer, utilfeature.DefaultFeatureGate, config.EffectiveVersion, stop, nil),
	}
	for _, plugin := range []admission.Interface{mutate, validate} {
		initializers.Initialize(plugin)
		if err := admission.ValidateInitialization(plugin); err != nil {
			return err
		}
	}
	shared.Start(stop)
	shared.WaitForCacheSync(stop)
	config.AdmissionControl = admission.NewChainHandler(mutate, validate)
	return nil
}
