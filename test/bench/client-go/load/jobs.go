package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	resource = "configmaps"
	protobuf = "application/vnd.kubernetes.protobuf"
	// watchersOfConnection keeps below the streams that a server allows.
	watchersOfConnection = 50
)

func newDialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: 5 * time.Second}).DialContext
}

func prepare(of job, clients []*kubernetes.Clientset, kubeconfig string) work {
	connect(of, clients)
	client := func(worker int) *kubernetes.Clientset { return clients[worker%len(clients)] }
	simple := func(operation func(ctx context.Context, worker, index int) error) work {
		return work{run: func() result { return spread(of, operation) }, end: func() {}}
	}
	switch of.Do {
	case "create":
		return simple(func(ctx context.Context, worker, index int) error {
			return create(ctx, client(worker), of, index, 1024)
		})
	case "get":
		names := namesOf(of, clients[0])
		return simple(func(ctx context.Context, worker, _ int) error {
			return at(restOf(client(worker)).Get(), of).Name(names[rand.IntN(len(names))]).Do(ctx).Error()
		})
	case "list":
		return simple(func(ctx context.Context, worker, _ int) error {
			request := at(restOf(client(worker)).Get(), of)
			if of.Limit > 0 {
				request.Param("limit", fmt.Sprint(of.Limit))
			}
			_, err := request.Do(ctx).Raw()
			return err
		})
	case "patch", "apply":
		names := namesOf(of, clients[0])
		return simple(func(ctx context.Context, worker, index int) error {
			return patch(ctx, client(worker), of, names[rand.IntN(len(names))], index)
		})
	case "watch":
		return watch(of, clients, kubeconfig)
	case "informer":
		return work{run: func() result { return informer(of, clients[0]) }, end: func() {}}
	}
	panic("no such job: " + of.Do)
}

func at(request *rest.Request, of job) *rest.Request {
	return request.Namespace(of.Namespace).Resource(resource)
}

// connect opens all connections, which is no part of the work.
func connect(of job, clients []*kubernetes.Clientset) {
	for _, client := range clients {
		must(at(restOf(client).Get(), of).Param("limit", "1").Do(context.Background()).Error())
	}
}

func create(ctx context.Context, client *kubernetes.Clientset, of job, index, size int) error {
	object := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%07d", of.Prefix, index), Labels: map[string]string{"bench": "1"}},
		// Neither all alike nor random: as much compresses as in a usual object.
		Data: map[string]string{"index": fmt.Sprint(index), "text": strings.Repeat(fmt.Sprintf("%08x", index*2654435761), size/8)},
	}
	_, err := client.CoreV1().ConfigMaps(of.Namespace).Create(ctx, object, metav1.CreateOptions{FieldManager: "bench"})
	return err
}

func patch(ctx context.Context, client *kubernetes.Clientset, of job, name string, index int) error {
	body := map[string]any{"data": map[string]string{"patched": fmt.Sprint(index)}}
	request := restOf(client).Patch(types.MergePatchType)
	if of.Do == "apply" {
		body["apiVersion"], body["kind"] = "v1", "ConfigMap"
		request = restOf(client).Patch(types.ApplyPatchType).Param("fieldManager", "bench-apply").Param("force", "true")
	}
	bytes, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return at(request, of).Name(name).Body(bytes).Do(ctx).Error()
}

func namesOf(of job, client *kubernetes.Clientset) []string {
	var names []string
	options := metav1.ListOptions{Limit: 500}
	for {
		list, err := client.CoreV1().ConfigMaps(of.Namespace).List(context.Background(), options)
		must(err)
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return names
		}
	}
}

// watch opens the watches and writes. An operation is an event at a watcher.
func watch(of job, writers []*kubernetes.Clientset, kubeconfig string) work {
	readers := newClients(kubeconfig, of, (of.Watchers+watchersOfConnection-1)/watchersOfConnection)
	list, err := readers[0].CoreV1().ConfigMaps(of.Namespace).List(context.Background(), metav1.ListOptions{Limit: 1})
	must(err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	var watches sync.WaitGroup
	var events atomic.Int64
	for i := range of.Watchers {
		request := at(restOf(readers[i%len(readers)]).Get(), of).Param("watch", "true").Param("resourceVersion", list.ResourceVersion)
		body, err := request.Stream(ctx)
		must(err)
		watches.Go(func() {
			defer body.Close()
			reader := bufio.NewReaderSize(body, 64<<10)
			for range of.Count {
				if skipEvent(reader, of.Form) != nil {
					return
				}
				events.Add(1)
			}
		})
	}
	run := func() result {
		began := time.Now()
		done := spread(of, func(ctx context.Context, worker, index int) error {
			return create(ctx, writers[worker%len(writers)], of, index, 256)
		})
		watches.Wait()
		done.Operations, done.Seconds = events.Load(), time.Since(began).Seconds()
		done.Failures += int64(of.Watchers*of.Count) - done.Operations
		return done
	}
	return work{run: run, end: cancel}
}

// skipEvent reads the bytes of one event.
func skipEvent(reader *bufio.Reader, form string) error {
	if form != protobuf {
		_, err := reader.ReadSlice('\n')
		return err
	}
	var length uint32
	if err := binary.Read(reader, binary.BigEndian, &length); err != nil {
		return err
	}
	_, err := reader.Discard(int(length))
	return err
}

// informer fills the cache of an informer. An operation is an object.
func informer(of job, client *kubernetes.Clientset) result {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(of.Namespace))
	shared := factory.Core().V1().ConfigMaps().Informer()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	count := len(shared.GetStore().ListKeys())
	return result{Operations: int64(count), Seconds: time.Since(began).Seconds()}
}
