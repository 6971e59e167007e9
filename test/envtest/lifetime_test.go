package envtest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestTogether starts three control planes at once in one process, as parallel packages do, and stops them: none knows the
// others' objects, and none leaves a folder.
func TestTogether(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var together sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		together.Go(func() {
			one := &envtest.Environment{ControlPlaneStartTimeout: time.Minute}
			config, err := one.Start()
			if err != nil {
				t.Error(err)
				return
			}
			mine, err := client.New(config, client.Options{Scheme: scheme})
			if err != nil {
				t.Error(err)
				return
			}
			configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
			if err := mine.Create(t.Context(), configMap); err != nil {
				t.Error(err)
			}
			var all corev1.ConfigMapList
			if err := mine.List(t.Context(), &all, client.InNamespace("default")); err != nil || len(all.Items) != 1 {
				t.Errorf("%s: %d config maps, error %v", name, len(all.Items), err)
			}
			if err := one.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) != 0 {
		t.Errorf("they left %v", left)
	}
}

// TestExistingCluster uses the server that is there: Start installs definitions into it, Stop leaves it alone.
func TestExistingCluster(t *testing.T) {
	yes := true
	borrowed := &envtest.Environment{UseExistingCluster: &yes, Config: restConfig, CRDDirectoryPaths: []string{"testdata"}}
	config, err := borrowed.Start()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != restConfig.Host {
		t.Errorf("it started another one: %s", config.Host)
	}
	if err := borrowed.Stop(); err != nil {
		t.Fatal(err)
	}
	newNamespace(t)
}
