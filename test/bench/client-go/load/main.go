// Command client-go is a load generator that behaves as Kubernetes' own components do: client-go over HTTP/2, gzip
// accepted, JSON or protobuf. It reads one job a line from stdin as JSON. It answers {"ready":true} when connections,
// watches and names are prepared, and waits for a line. Then it works, and answers with a result. The server's cost of
// what was prepared is therefore not that of the work.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// job is one scenario with its size.
type job struct {
	Do        string `json:"do"`       // create, get, list, patch, apply, watch, informer
	Form      string `json:"form"`     // application/json or application/vnd.kubernetes.protobuf
	Plain     bool   `json:"plain"`    // does not accept gzip
	Count     int    `json:"count"`    // operations; of watch: writes
	Workers   int    `json:"workers"`  // operations at a time
	Rate      int    `json:"rate"`     // operations begun each second, at most Workers at a time; 0: when others end
	Limit     int    `json:"limit"`    // of a list; 0: all
	Watchers  int    `json:"watchers"` // of watch
	Namespace string `json:"namespace"`
	Prefix    string `json:"prefix"` // of created names
}

// result is what a job has done.
type result struct {
	Operations   int64   `json:"operations"`
	Failures     int64   `json:"failures"`
	FirstFailure string  `json:"firstFailure,omitempty"`
	Seconds      float64 `json:"seconds"`
	P50          float64 `json:"p50"` // milliseconds
	P99          float64 `json:"p99"`
	InFlight     int64   `json:"inFlight"` // largest number at a time
}

// work is a prepared job: run does it, and end closes what preparing opened.
type work struct {
	run func() result
	end func()
}

const connections = 4

func main() {
	kubeconfig := os.Args[1]
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var wanted job
		must(json.Unmarshal(lines.Bytes(), &wanted))
		prepared := prepare(wanted, newClients(kubeconfig, wanted, connections), kubeconfig)
		must(out.Encode(map[string]bool{"ready": true}))
		if !lines.Scan() {
			return
		}
		done := prepared.run()
		prepared.end()
		must(out.Encode(done))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newClients makes clients with a connection each: client-go would share one.
func newClients(kubeconfig string, of job, count int) []*kubernetes.Clientset {
	clients := make([]*kubernetes.Clientset, count)
	for i := range clients {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		must(err)
		config.QPS = -1
		config.ContentType, config.AcceptContentTypes = of.Form, of.Form
		config.DisableCompression = of.Plain
		// A dialer of its own keeps client-go from sharing the transport.
		config.Dial = newDialer()
		clients[i], err = kubernetes.NewForConfig(config)
		must(err)
	}
	return clients
}

// restOf is the client for requests whose bodies are not decoded.
func restOf(client *kubernetes.Clientset) rest.Interface { return client.CoreV1().RESTClient() }

// spread does an operation count times, so many at a time, and measures each. With a rate, the time of an operation
// begins when it was due, so that a slow server cannot hide by slowing the load down.
func spread(of job, operation func(ctx context.Context, worker, index int) error) result {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var next, failures, now, most atomic.Int64
	var first atomic.Value
	times := make([][]float64, of.Workers)
	var workers sync.WaitGroup
	began := time.Now()
	for worker := range of.Workers {
		workers.Go(func() {
			for index := int(next.Add(1)) - 1; index < of.Count; index = int(next.Add(1)) - 1 {
				start := time.Now()
				if of.Rate > 0 {
					start = began.Add(time.Duration(index) * time.Second / time.Duration(of.Rate))
					time.Sleep(time.Until(start))
				}
				raise(&most, now.Add(1))
				err := operation(ctx, worker, index)
				now.Add(-1)
				if err != nil {
					failures.Add(1)
					first.CompareAndSwap(nil, err.Error())
					continue
				}
				times[worker] = append(times[worker], float64(time.Since(start).Microseconds())/1000)
			}
		})
	}
	workers.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	failure, _ := first.Load().(string)
	return result{
		Operations: int64(len(all)), Failures: failures.Load(), FirstFailure: failure,
		Seconds: time.Since(began).Seconds(), P50: quantile(all, 50), P99: quantile(all, 99), InFlight: most.Load(),
	}
}

// raise sets a number to a higher one.
func raise(most *atomic.Int64, to int64) {
	for known := most.Load(); to > known && !most.CompareAndSwap(known, to); known = most.Load() {
	}
}

func quantile(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}
