package envtest

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestApplyTyped is server-side apply as client-go does it for built-in kinds: two managers, a conflict, and its end.
func TestApplyTyped(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	deployments := kubernetes.NewForConfigOrDie(restConfig).AppsV1().Deployments(namespace)
	apply := func(manager string, force bool, replicas int32, image string) error {
		labels := map[string]string{"app": "web"}
		container := corev1apply.Container().WithName("web").WithImage(image)
		spec := appsv1apply.DeploymentSpec().
			WithSelector(metav1apply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(corev1apply.PodTemplateSpec().WithLabels(labels).
				WithSpec(corev1apply.PodSpec().WithContainers(container)))
		if replicas > 0 {
			spec.WithReplicas(replicas)
		}
		deployment := appsv1apply.Deployment("web", namespace).WithSpec(spec)
		_, err := deployments.Apply(ctx, deployment, metav1.ApplyOptions{FieldManager: manager, Force: force})
		return err
	}
	if err := apply("first", false, 2, "web:1"); err != nil {
		t.Fatal(err)
	}
	before, _ := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err := apply("first", false, 2, "web:1"); err != nil {
		t.Fatal(err)
	}
	if after, _ := deployments.Get(ctx, "web", metav1.GetOptions{}); after.ResourceVersion != before.ResourceVersion {
		t.Error("applying the same twice wrote something")
	}
	err := apply("second", false, 3, "web:1")
	if !apierrors.IsConflict(err) || err.Error() != `Apply failed with 1 conflict: conflict with "first": .spec.replicas` {
		t.Errorf("got %v", err)
	}
	if err := apply("second", true, 3, "web:1"); err != nil {
		t.Fatal(err)
	}
	// The field is the second one's now: the first may let go of it, and it stays.
	if err := apply("first", false, 0, "web:1"); err != nil {
		t.Fatal(err)
	}
	last, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err != nil || *last.Spec.Replicas != 3 {
		t.Errorf("replicas %v, error %v", last.Spec.Replicas, err)
	}
}

// TestApplyCustomResource is server-side apply as operators do it, on a list with keys and on the status.
func TestApplyCustomResource(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	apply := func(owner string, spec map[string]any) error {
		object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		object.SetGroupVersionKind(widgetVersion.WithKind("Widget"))
		object.SetName("parts")
		object.SetNamespace(namespace)
		return direct.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(owner))
	}
	part := func(name string, count int64) any { return map[string]any{"name": name, "count": count} }
	if err := apply("one", map[string]any{"size": int64(1), "parts": []any{part("a", 1)}}); err != nil {
		t.Fatal(err)
	}
	if err := apply("two", map[string]any{"size": int64(1), "parts": []any{part("b", 2)}}); err != nil {
		t.Fatal(err)
	}
	err := apply("two", map[string]any{"size": int64(1), "parts": []any{part("a", 9)}})
	if want := `Apply failed with 1 conflict: conflict with "one": .spec.parts[name="a"].count`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := apply("one", map[string]any{"size": int64(1)}); err != nil {
		t.Fatal(err)
	}
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(widgetVersion.WithKind("Widget"))
	if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "parts"}, current); err != nil {
		t.Fatal(err)
	}
	parts, _, _ := unstructured.NestedSlice(current.Object, "spec", "parts")
	if len(parts) != 1 || parts[0].(map[string]any)["name"] != "b" {
		t.Errorf("parts %v: the one that nobody applies any more stays, or the other went", parts)
	}
}
