// Package example tests a controller's code on a real API server, which each test gets as it was prepared.
package example

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	clients *kubernetes.Clientset
	server  powers
)

// TestMain starts one server for all tests. KUBEBUILDER_ASSETS names the folder of its executables.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "endpoint.json")

	environment := &envtest.Environment{}
	environment.ControlPlane.GetAPIServer().Configure().
		Append("controllers", "*").
		Append("test-endpoint", "127.0.0.1:0").
		Append("test-endpoint-file", file)
	config, err := environment.Start()
	check(err)
	defer environment.Stop()

	clients = kubernetes.NewForConfigOrDie(config)
	server = readPowers(file)
	server.must("POST", "/snapshots", `{"name":"prepared"}`)
	return m.Run()
}

// prepared returns the server to the objects of its start, without faults and records of requests.
func prepared(t *testing.T) {
	t.Helper()
	server.must("POST", "/snapshots/prepared/restore", "")
	server.must("DELETE", "/faults", "")
	server.must("DELETE", "/requests", "")
}

// powers calls the test endpoint.
type powers struct{ URL, Token string }

// readPowers waits for the file that the server writes when it is ready.
func readPowers(file string) (p powers) {
	for range 300 {
		if content, err := os.ReadFile(file); err == nil {
			check(json.Unmarshal(content, &p))
			return p
		}
		time.Sleep(100 * time.Millisecond)
	}
	panic("the server has no test endpoint")
}

func (p powers) must(method, path, body string) string {
	request, err := http.NewRequest(method, p.URL+path, strings.NewReader(body))
	check(err)
	request.Header.Set("Authorization", "Bearer "+p.Token)
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode >= 300 {
		panic(fmt.Sprintf("%s %s: %s", method, path, content))
	}
	return string(content)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
