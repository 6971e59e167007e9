package envtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// contentTypes notes what a client sends and gets.
type contentTypes struct {
	lock sync.Mutex
	seen map[string]int
}

func (c *contentTypes) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil {
			c.lock.Lock()
			defer c.lock.Unlock()
			c.seen[strings.TrimSpace(request.Header.Get("Content-Type")+" > "+response.Header.Get("Content-Type"))]++
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// cborServer starts a server that serves CBOR, and answers two configs of clients: of one that prefers CBOR, which
// notes what it sends and gets, and of one that speaks JSON.
func cborServer(t *testing.T) (preferring, plain *rest.Config, seen *contentTypes) {
	t.Helper()
	server := &envtest.Environment{CRDDirectoryPaths: []string{"testdata"}, ErrorIfCRDPathMissing: true}
	server.ControlPlane.GetAPIServer().Configure().Append("feature-gates", "CBORServingAndStorage=true")
	config, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	featurestesting.SetFeatureDuringTest(t, features.ClientsAllowCBOR, true)
	featurestesting.SetFeatureDuringTest(t, features.ClientsPreferCBOR, true)
	seen = &contentTypes{seen: map[string]int{}}
	preferring = rest.CopyConfig(config)
	preferring.Wrap(seen.wrap)
	plain = rest.CopyConfig(config)
	plain.ContentType = "application/json"
	plain.AcceptContentTypes = "application/json"
	return preferring, plain, seen
}

// raw is the JSON of an object as the server tells it, without a client's types.
func raw(t *testing.T, config *rest.Config, path string) map[string]any {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := client.RESTClient().Get().AbsPath(path).DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(bytes); err != nil {
		t.Fatal(err)
	}
	return object.Object
}

func TestCBOR(t *testing.T) {
	preferring, plain, seen := cborServer(t)
	dynamics, err := dynamic.NewForConfig(preferring)
	if err != nil {
		t.Fatal(err)
	}
	widgets := dynamics.Resource(widgetVersion.WithResource("widgets")).Namespace("default")
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": widgetVersion.String(),
		"kind":       "Widget",
		"metadata":   map[string]any{"name": "w", "annotations": map[string]any{"snow": "☃"}},
		"spec":       map[string]any{"size": int64(3), "colour": "red"},
	}}

	watch, err := widgets.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	created, err := widgets.Create(t.Context(), widget, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if event := <-watch.ResultChan(); event.Type != "ADDED" || !equality.Semantic.DeepEqual(event.Object, created) {
		t.Errorf("the event is not what was created: %v", event)
	}
	same(t, "a created object", raw(t, plain, "/apis/shop.example.com/v1/namespaces/default/widgets/w"), created.Object)

	created.Object["spec"].(map[string]any)["size"] = int64(4)
	updated, err := widgets.Update(t.Context(), created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := widgets.Update(t.Context(), widgetOf(created, "1"), metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
	list, err := widgets.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.GetKind() != "WidgetList" {
		t.Fatalf("a list: %v, %v", list, err)
	}
	same(t, "a listed object", updated.Object, list.Items[0].Object)

	applied := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": widgetVersion.String(), "kind": "Widget", "metadata": map[string]any{"name": "w"},
		"spec": map[string]any{"size": int64(5)},
	}}
	_, err = widgets.Apply(t.Context(), "w", applied, metav1.ApplyOptions{FieldManager: "cbor"})
	if !apierrors.IsConflict(err) {
		t.Errorf("applying what another owns: %v", err)
	}
	if _, err = widgets.Apply(t.Context(), "w", applied, metav1.ApplyOptions{FieldManager: "cbor", Force: true}); err != nil {
		t.Error(err)
	}
	if err := widgets.Delete(t.Context(), "w", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: uid("other")}}); !apierrors.IsConflict(err) {
		t.Errorf("a delete with a precondition that does not hold: %v", err)
	}
	if err := widgets.Delete(t.Context(), "w", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := widgets.Get(t.Context(), "w", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a deleted object: %v", err)
	}

	testTyped(t, preferring, plain)

	for types := range seen.seen {
		sent, got, _ := strings.Cut(types, " > ")
		for _, one := range []string{sent, got} {
			switch strings.TrimPrefix(strings.TrimSpace(one), "> ") {
			case "", "application/cbor", "application/cbor-seq", "application/apply-patch+cbor":
			default:
				t.Errorf("not CBOR: %s", types)
			}
		}
	}
	for _, one := range []string{"> application/cbor-seq", "application/cbor > application/cbor", "application/apply-patch+cbor > application/cbor"} {
		if seen.seen[one] == 0 {
			t.Errorf("never seen: %s, but %v", one, seen.seen)
		}
	}
}

// testTyped does the same with the client of built-in kinds: bytes, times, quantities, int-or-string.
func testTyped(t *testing.T, preferring, plain *rest.Config) {
	preferring.AcceptContentTypes = "application/cbor"
	client, err := kubernetes.NewForConfig(preferring)
	if err != nil {
		t.Fatal(err)
	}
	configMaps := client.CoreV1().ConfigMaps("default")
	configMap := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "c"},
		Data:       map[string]string{"10": "x", "9": "y"},
		BinaryData: map[string][]byte{"b": {0, 0xff, 0xd9}},
	}
	created, err := configMaps.Create(t.Context(), configMap, metav1.CreateOptions{FieldValidation: "Strict"})
	if err != nil {
		t.Fatal(err)
	}
	if !equality.Semantic.DeepEqual(created.BinaryData, configMap.BinaryData) || !equality.Semantic.DeepEqual(created.Data, configMap.Data) {
		t.Errorf("sent %v, got %v", configMap, created)
	}
	bytes, err := json.Marshal(created)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(bytes, &object); err != nil {
		t.Fatal(err)
	}
	told := raw(t, plain, "/api/v1/namespaces/default/configmaps/c")
	delete(told, "kind")
	delete(told, "apiVersion")
	same(t, "a typed object", told, object)

	configuration := corev1apply.ConfigMap("c", "default").WithData(map[string]string{"k": "v"})
	applied, err := configMaps.Apply(t.Context(), configuration, metav1.ApplyOptions{FieldManager: "cbor"})
	if err != nil || applied.Data["k"] != "v" || applied.Data["10"] != "x" {
		t.Errorf("applied: %v, %v", applied, err)
	}
	if err := configMaps.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=c"}); err != nil {
		t.Error(err)
	}
	list, err := client.CoreV1().Services("default").List(t.Context(), metav1.ListOptions{Limit: 500})
	if err != nil || len(list.Items) != 1 || list.Items[0].Spec.Ports[0].TargetPort.IntVal == 0 {
		t.Errorf("services: %v, %v", list, err)
	}
}

func same(t *testing.T, what string, expected, actual map[string]any) {
	t.Helper()
	want, _ := json.Marshal(expected)
	got, _ := json.Marshal(actual)
	if string(want) != string(got) {
		t.Errorf("%s:\n%s\n%s", what, want, got)
	}
}

func widgetOf(widget *unstructured.Unstructured, resourceVersion string) *unstructured.Unstructured {
	copied := widget.DeepCopy()
	copied.SetResourceVersion(resourceVersion)
	return copied
}

func uid(text string) *types.UID {
	id := types.UID(text)
	return &id
}

// TestCBOROff says that clients which prefer CBOR find their way with a server that has none.
func TestCBOROff(t *testing.T) {
	featurestesting.SetFeatureDuringTest(t, features.ClientsAllowCBOR, true)
	featurestesting.SetFeatureDuringTest(t, features.ClientsPreferCBOR, true)
	config := rest.CopyConfig(restConfig)
	config.ContentType = ""
	config.AcceptContentTypes = ""
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	configMaps := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(newNamespace(t))
	configMap := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c"}}}
	_, first := configMaps.Create(t.Context(), configMap, metav1.CreateOptions{})
	_, second := configMaps.Create(t.Context(), configMap, metav1.CreateOptions{})
	if fmt.Sprint(apierrors.IsUnsupportedMediaType(first), second) != "true <nil>" {
		t.Errorf("first %v, then %v", first, second)
	}
}
