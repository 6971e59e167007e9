// Package envtest runs controller-runtime's envtest, unchanged, on the executables of assets/: what an operator's own
// test suite does.
package envtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	environment *envtest.Environment
	restConfig  *rest.Config
	scheme      = runtime.NewScheme()
	direct      client.Client
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		panic(err)
	}
	if err := addWidgets(scheme); err != nil {
		panic(err)
	}
	environment = &envtest.Environment{
		CRDDirectoryPaths:        []string{"testdata"},
		ErrorIfCRDPathMissing:    true,
		AttachControlPlaneOutput: os.Getenv("ENVTEST_VERBOSE") != "",
	}
	var err error
	if restConfig, err = environment.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "envtest does not start:", err)
		return 1
	}
	if direct, err = client.New(restConfig, client.Options{Scheme: scheme}); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "envtest does not stop:", err)
		return 1
	}
	return code
}

// newNamespace gives each test a namespace of its own, as suites do that share one server.
func newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := direct.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// eventually asks until the condition holds; what it said last is the failure.
func eventually(t *testing.T, condition func(context.Context) error) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		err := condition(t.Context())
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestOneAfterAnother starts and stops a second control plane: nothing of the first may be in it.
func TestOneAfterAnother(t *testing.T) {
	before, _ := filepath.Glob(".kube-apiserver*")
	second := &envtest.Environment{}
	secondConfig, err := second.Start()
	if err != nil {
		t.Fatal(err)
	}
	other, err := client.New(secondConfig, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	name := newNamespace(t)
	if err := other.Get(t.Context(), client.ObjectKey{Name: name}, &corev1.Namespace{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the second server knows the first one's namespace: %v", err)
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	if after, _ := filepath.Glob(".kube-apiserver*"); len(before) != 0 || len(after) != 0 {
		t.Errorf("a server left files where it was started: %v, %v", before, after)
	}
}

// TestUsers asks as somebody whom envtest gave a certificate, with RBAC in between.
func TestUsers(t *testing.T) {
	namespace := newNamespace(t)
	user, err := environment.AddUser(envtest.User{Name: "amy", Groups: []string{"shop"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	amy, err := client.New(user.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	err = amy.List(t.Context(), &corev1.PodList{}, client.InNamespace(namespace))
	want := fmt.Sprintf(`pods is forbidden: User "amy" cannot list resource "pods" in API group "" in the namespace %q`, namespace)
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
