package envtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// How long objects are written and connections cut.
const unrest = 4 * time.Second

// TestCachesOverCutConnections runs client-go's informers, over every encoding, while their connections are cut again
// and again: in the end each holds what a list says, and its handlers were told of just that.
func TestCachesOverCutConnections(t *testing.T) {
	preferring, plain, _ := cborServer(t)
	binary := rest.CopyConfig(plain)
	binary.ContentType, binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"
	for name, watchList := range map[string]bool{"by watch lists": true, "by lists": false} {
		t.Run(name, func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			cutter := newCutter(t, plain.Host)
			namespace := fmt.Sprint("cut-", watchList)
			writer := newRestlessWriter(t, plain, namespace)
			watched := map[string]cache.SharedIndexInformer{}
			stop := make(chan struct{})
			defer close(stop)
			for encoding, config := range map[string]*rest.Config{"protobuf": binary, "JSON": plain, "CBOR": preferring} {
				config := rest.CopyConfig(config)
				config.Host = cutter.address
				typed := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(config), 0, informers.WithNamespace(namespace))
				watched["typed over "+encoding] = typed.Core().V1().ConfigMaps().Informer()
				partial := metadatainformer.NewFilteredSharedInformerFactory(metadata.NewForConfigOrDie(config), 0, namespace, nil)
				watched["metadata over "+encoding] = partial.ForResource(configMaps).Informer()
				if encoding != "protobuf" {
					untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0, namespace, nil)
					watched["widgets over "+encoding] = untyped.ForResource(widgets).Informer()
				}
			}
			told := map[string]*toldObjects{}
			for name, informer := range watched {
				told[name] = newToldObjects(t, informer)
				go informer.Run(stop)
			}
			writer.writeAndCut(t, cutter)
			for name, informer := range watched {
				want := writer.listed(t, configMaps)
				if strings.HasPrefix(name, "widgets") {
					want = writer.listed(t, widgets)
				}
				awaitEqual(t, name, want, informer.GetStore(), told[name])
			}
		})
	}
}

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	widgets    = widgetVersion.WithResource("widgets")
)

// restlessWriter writes to names that are few enough to be created and deleted many times over.
type restlessWriter struct {
	client    dynamic.Interface
	namespace string
}

func newRestlessWriter(t *testing.T, config *rest.Config, namespace string) *restlessWriter {
	t.Helper()
	writer := &restlessWriter{dynamic.NewForConfigOrDie(config), namespace}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(namespace)
	namespaces := writer.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	if _, err := namespaces.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return writer
}

func (w *restlessWriter) writeAndCut(t *testing.T, cutter *cutter) {
	t.Helper()
	end := time.Now().Add(unrest)
	var busy sync.WaitGroup
	for _, resource := range []schema.GroupVersionResource{configMaps, widgets} {
		busy.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				if err := w.writeSomething(t.Context(), resource, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for time.Now().Before(end) {
		time.Sleep(time.Duration(100+rand.IntN(700)) * time.Millisecond)
		cutter.cut()
	}
	busy.Wait()
}

func (w *restlessWriter) writeSomething(ctx context.Context, resource schema.GroupVersionResource, i int) error {
	objects := w.client.Resource(resource).Namespace(w.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"i": fmt.Sprint(i)}}}
	if resource == widgets {
		object.Object = map[string]any{"apiVersion": widgetVersion.String(), "kind": "Widget", "spec": map[string]any{"size": int64(i%100 + 1)}}
	}
	object.SetName(fmt.Sprint("n", rand.IntN(30)))
	_, err := objects.Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) && i%3 == 0 {
		return objects.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		current, err := objects.Get(ctx, object.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.SetResourceVersion(current.GetResourceVersion())
		_, err = objects.Update(ctx, object, metav1.UpdateOptions{})
		return err
	}
	return err
}

// listed is what there is: revisions by name.
func (w *restlessWriter) listed(t *testing.T, resource schema.GroupVersionResource) map[string]string {
	t.Helper()
	list, err := w.client.Resource(resource).Namespace(w.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, item := range list.Items {
		found[item.GetName()] = item.GetResourceVersion()
	}
	return found
}

// toldObjects is what the handlers of an informer make of what they are told.
type toldObjects struct {
	lock  sync.Mutex
	names map[string]string
}

func newToldObjects(t *testing.T, informer cache.SharedIndexInformer) *toldObjects {
	t.Helper()
	told := &toldObjects{names: map[string]string{}}
	put := func(object any) {
		told.lock.Lock()
		defer told.lock.Unlock()
		accessor, _ := meta.Accessor(object)
		told.names[accessor.GetName()] = accessor.GetResourceVersion()
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    put,
		UpdateFunc: func(_, object any) { put(object) },
		DeleteFunc: func(object any) {
			told.lock.Lock()
			defer told.lock.Unlock()
			name, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
			delete(told.names, name[strings.Index(name, "/")+1:])
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// awaitEqual gives an informer the time that its reflector may wait after many failures.
func awaitEqual(t *testing.T, name string, want map[string]string, store cache.Store, told *toldObjects) {
	t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for {
		held := map[string]string{}
		for _, object := range store.List() {
			accessor, _ := meta.Accessor(object)
			held[accessor.GetName()] = accessor.GetResourceVersion()
		}
		told.lock.Lock()
		handled := maps.Clone(told.names)
		told.lock.Unlock()
		if maps.Equal(held, want) && maps.Equal(handled, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s\nholds    %v\nwas told %v\nlist     %v", name, held, handled, want)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// cutter stands between clients and a server, and cuts their connections without a word.
type cutter struct {
	address string
	lock    sync.Mutex
	open    map[net.Conn]struct{}
}

func newCutter(t *testing.T, server string) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	made := &cutter{address: "https://" + listener.Addr().String(), open: map[net.Conn]struct{}{}}
	target := strings.Trim(strings.TrimPrefix(server, "https:"), "/")
	t.Cleanup(func() {
		_ = listener.Close()
		made.cut()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			backend, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			made.join(client, backend)
			made.join(backend, client)
		}
	}()
	return made
}

func (c *cutter) join(from, to net.Conn) {
	c.lock.Lock()
	c.open[from] = struct{}{}
	c.lock.Unlock()
	go func() {
		_, _ = io.Copy(to, from)
		_ = from.Close()
		_ = to.Close()
		c.lock.Lock()
		delete(c.open, from)
		c.lock.Unlock()
	}()
}

func (c *cutter) cut() {
	c.lock.Lock()
	defer c.lock.Unlock()
	for connection := range c.open {
		_ = connection.Close()
	}
}
