package example

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// Each test begins with the prepared objects, whatever others have left.
func TestBeginsAsPrepared(t *testing.T) {
	for range 2 {
		prepared(t)
		configMaps := clients.CoreV1().ConfigMaps("default")
		_, err := configMaps.Get(context.Background(), "settings", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			t.Fatalf("the object of another test is there: %v", err)
		}
		create(t, "settings")
	}
}

// The code under test repeats an update that conflicts. Two conflicts are made, and three requests seen.
func TestRetriesConflicts(t *testing.T) {
	prepared(t)
	create(t, "settings")
	server.must("POST", "/faults", `{"verb":"update","resource":"configmaps","times":2,"response":{"reason":"Conflict"}}`)

	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		configMaps := clients.CoreV1().ConfigMaps("default")
		object, err := configMaps.Get(context.Background(), "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Data = map[string]string{"level": "high"}
		_, err = configMaps.Update(context.Background(), object, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent := strings.Count(server.must("GET", "/requests?verb=update&resource=configmaps", ""), "\n"); sent != 3 {
		t.Fatalf("sent %d updates", sent)
	}
}

// An event expires after an hour of the server, which takes no time.
func TestEventsExpire(t *testing.T) {
	prepared(t)
	events := clients.CoreV1().Events("default")
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "soon"},
		InvolvedObject: corev1.ObjectReference{Namespace: "default"},
	}
	if _, err := events.Create(context.Background(), event, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	server.must("POST", "/clock/advance", `{"duration":"61m"}`)
	for {
		_, err := events.Get(context.Background(), "soon", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func create(t *testing.T, name string) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := clients.CoreV1().ConfigMaps("default").Create(context.Background(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
