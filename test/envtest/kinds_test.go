package envtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kindExamples has a valid object of each kind.
const kindExamples = "testdata/objects/kinds.yaml"

// servedKind is a resource whose objects can be created and read.
type servedKind struct {
	schema.GroupVersionKind
	namespaced, hasStatus, canDeleteCollection bool
}

// TestEveryKind lives the life of one object of each kind that the server serves.
func TestEveryKind(t *testing.T) {
	namespace := newNamespace(t)
	examples := readExamples(t, namespace)
	everything := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(everything); err != nil {
			t.Fatal(err)
		}
	}
	typed, err := client.NewWithWatch(overProtobuf(), client.Options{Scheme: everything})
	if err != nil {
		t.Fatal(err)
	}
	text, err := client.New(restConfig, client.Options{Scheme: everything})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range servedKinds(t) {
		example, ok := examples[kind.GroupVersionKind]
		delete(examples, kind.GroupVersionKind)
		if !ok {
			t.Errorf("%s has no %v", kindExamples, kind.GroupVersionKind)
			continue
		}
		nameExample(example, kind, namespace)
		t.Run(strings.ToLower(kind.Kind+"."+kind.GroupVersion().String()), func(t *testing.T) {
			t.Parallel()
			one := &life{T: t, kind: kind, example: example, WithWatch: typed, json: text}
			one.run(t.Context())
		})
	}
	for kind := range examples {
		t.Errorf("the server does not serve %v", kind)
	}
}

// servedKinds reads discovery, every version of it; custom resources are left out.
func servedKinds(t *testing.T) []servedKind {
	t.Helper()
	_, lists, err := discovery.NewDiscoveryClientForConfigOrDie(restConfig).ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	var found []servedKind
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(list.APIResources, func(other metav1.APIResource) bool { return other.Name == name })
		}
		for _, resource := range list.APIResources {
			canBeRead := slices.Contains(resource.Verbs, "create") && slices.Contains(resource.Verbs, "get")
			if canBeRead && !strings.Contains(resource.Name, "/") && !strings.HasSuffix(version.Group, ".example.com") {
				found = append(found, servedKind{
					GroupVersionKind: version.WithKind(resource.Kind), namespaced: resource.Namespaced,
					hasStatus: has(resource.Name + "/status"), canDeleteCollection: slices.Contains(resource.Verbs, "deletecollection"),
				})
			}
		}
	}
	return found
}

func readExamples(t *testing.T, namespace string) map[schema.GroupVersionKind]*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(kindExamples)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("REQUEST}"), append(signingRequest(t), '}'))
	text = bytes.ReplaceAll(text, []byte("NAMESPACE"), []byte(namespace))
	found := map[schema.GroupVersionKind]*unstructured.Unstructured{}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text))
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found[object.GroupVersionKind()] = object
	}
}

// nameExample gives it a name and a namespace of this run, unless the kind decides about names.
func nameExample(example *unstructured.Unstructured, kind servedKind, namespace string) {
	if kind.namespaced {
		example.SetNamespace(namespace)
	}
	if example.GetName() == "" {
		example.SetName("every-" + strings.ToLower(kind.Kind) + "-" + kind.Version)
	}
}

func signingRequest(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "amy"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	return []byte(base64.StdEncoding.EncodeToString(text))
}

// newObject is an empty one of client-go's type, or an unstructured one where client-go has none.
func newObject(scheme *runtime.Scheme, kind schema.GroupVersionKind) client.Object {
	if made, err := scheme.New(kind); err == nil {
		return made.(client.Object)
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

// typedCopy is the example as an object of client-go's type; what the type does not know is an error.
func typedCopy(scheme *runtime.Scheme, example *unstructured.Unstructured) (client.Object, error) {
	object := newObject(scheme, example.GroupVersionKind())
	text, err := json.Marshal(example)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return object, decoder.Decode(object)
}
