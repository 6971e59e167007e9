package envtest

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// createdConfigMapsOf matches ConfigMaps that are created in a namespace.
func createdConfigMapsOf(namespace string) *admissionv1.MatchResources {
	rules := ruleFor("", "v1", "configmaps", admissionv1.Create)
	return &admissionv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		ResourceRules:     []admissionv1.NamedRuleWithOperations{{RuleWithOperations: rules[0]}},
	}
}

var configMapParams = &admissionv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"}

func paramsIn(namespace string) *admissionv1.ParamRef {
	return &admissionv1.ParamRef{Name: "params", Namespace: namespace, ParameterNotFoundAction: ref(admissionv1.DenyAction)}
}

// TestValidatingPolicy binds a policy to parameters that appear later and change.
func TestValidatingPolicy(t *testing.T) {
	ctx, namespace, others := t.Context(), newNamespace(t), newNamespace(t)
	clients := kubernetes.NewForConfigOrDie(overProtobuf())
	bindValidatingPolicy(t, clients.AdmissionregistrationV1(), namespace, others)
	create := func(name string, keys int) error {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{}}
		for i := range keys {
			object.Data[fmt.Sprint("k", i)] = ""
		}
		_, err := clients.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	refused := func(name string, keys int, why string) {
		t.Helper()
		want := fmt.Sprintf("configmaps %q is forbidden: ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", name, namespace, namespace, why)
		eventually(t, func(context.Context) error {
			if err := create(name, keys); err == nil || err.Error() != want || !apierrors.IsInvalid(err) {
				return fmt.Errorf("got  %v (%s)\nwant %s", err, apierrors.ReasonForError(err), want)
			}
			return nil
		})
	}
	refused("without", 0, "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction")

	params := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "params"}, Data: map[string]string{"limit": "1"}}
	params, err := clients.CoreV1().ConfigMaps(others).Create(ctx, params, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	refused("two", 2, "two has 2 keys, of at most 1")
	if err := create("one", 1); err != nil {
		t.Error(err)
	}
	params.Data["limit"] = "2"
	if _, err := clients.CoreV1().ConfigMaps(others).Update(ctx, params, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	refused("three", 3, "three has 3 keys, of at most 2")
	if err := create("two", 2); err != nil {
		t.Error(err)
	}
	if err := clients.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(context.Context) error { return create("three", 3) })
}

func newValidatingPolicy(namespace, paramsNamespace string) (*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding) {
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			ParamKind:        configMapParams,
			MatchConstraints: createdConfigMapsOf(namespace),
			MatchConditions:  []admissionv1.MatchCondition{{Name: "of-users", Expression: `!object.metadata.name.startsWith("kube-")`}},
			Variables: []admissionv1.Variable{
				{Name: "limit", Expression: "int(params.data.limit)"},
				{Name: "keys", Expression: "has(object.data) ? size(object.data) : 0"},
			},
			Validations: []admissionv1.Validation{{
				Expression:        "variables.keys <= variables.limit",
				MessageExpression: `object.metadata.name + " has " + string(variables.keys) + " keys, of at most " + string(variables.limit)`,
			}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: namespace, ParamRef: paramsIn(paramsNamespace),
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	return policy, binding
}

func bindValidatingPolicy(t *testing.T, registration admissionclient.AdmissionregistrationV1Interface, namespace, paramsNamespace string) {
	t.Helper()
	policy, binding := newValidatingPolicy(namespace, paramsNamespace)
	created, err := registration.ValidatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *created.Spec.FailurePolicy != admissionv1.Fail || *created.Spec.MatchConstraints.MatchPolicy != admissionv1.Equivalent {
		t.Errorf("defaults: %+v", created.Spec)
	}
	if _, err := registration.ValidatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = registration.ValidatingAdmissionPolicyBindings().Delete(context.Background(), namespace, metav1.DeleteOptions{})
		_ = registration.ValidatingAdmissionPolicies().Delete(context.Background(), namespace, metav1.DeleteOptions{})
	})
	eventually(t, func(ctx context.Context) error {
		checked, err := registration.ValidatingAdmissionPolicies().Get(ctx, namespace, metav1.GetOptions{})
		if err != nil || checked.Status.ObservedGeneration != 1 || checked.Status.TypeChecking == nil || len(checked.Status.TypeChecking.ExpressionWarnings) != 0 {
			return fmt.Errorf("the types are not checked: %v, %v", checked.Status, err)
		}
		return nil
	})
}

// TestMutatingPolicy mutates by an apply configuration and by a JSON patch, both of which read parameters.
func TestMutatingPolicy(t *testing.T) {
	ctx, namespace, others := t.Context(), newNamespace(t), newNamespace(t)
	clients := kubernetes.NewForConfigOrDie(overProtobuf())
	params := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "params"}, Data: map[string]string{"team": "a/b"}}
	if _, err := clients.CoreV1().ConfigMaps(others).Create(ctx, params, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bindMutatingPolicy(t, clients.AdmissionregistrationV1(), namespace, others)
	want := map[string]string{"own": "1", "applied": "a/b", "patched-a/b": "2"}
	eventually(t, func(ctx context.Context) error {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mutated"}, Data: map[string]string{"own": "1"}}
		object.Annotations = map[string]string{"own": "1"}
		got, err := clients.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil || !equality.Semantic.DeepEqual(got.Annotations, want) {
			return fmt.Errorf("got %v, %v, want %v", got.GetAnnotations(), err, want)
		}
		return nil
	})
}

func newMutatingPolicy(namespace, paramsNamespace string) (*admissionv1.MutatingAdmissionPolicy, *admissionv1.MutatingAdmissionPolicyBinding) {
	patch := `[JSONPatch{op: "add", path: "/metadata/annotations/patched-" + jsonpatch.escapeKey(params.data.team), value: string(size(object.metadata.annotations))}]`
	policy := &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			ParamKind:          configMapParams,
			MatchConstraints:   createdConfigMapsOf(namespace),
			MatchConditions:    []admissionv1.MatchCondition{{Name: "annotated", Expression: "has(object.metadata.annotations)"}},
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			Mutations: []admissionv1.Mutation{
				{
					PatchType: admissionv1.PatchTypeApplyConfiguration,
					ApplyConfiguration: &admissionv1.ApplyConfiguration{
						Expression: `Object{metadata: Object.metadata{annotations: {"applied": params.data.team}}}`,
					},
				},
				{PatchType: admissionv1.PatchTypeJSONPatch, JSONPatch: &admissionv1.JSONPatch{Expression: patch}},
			},
		},
	}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: namespace, ParamRef: paramsIn(paramsNamespace)},
	}
	return policy, binding
}

func bindMutatingPolicy(t *testing.T, registration admissionclient.AdmissionregistrationV1Interface, namespace, paramsNamespace string) {
	t.Helper()
	policy, binding := newMutatingPolicy(namespace, paramsNamespace)
	if _, err := registration.MutatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := registration.MutatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = registration.MutatingAdmissionPolicyBindings().Delete(context.Background(), namespace, metav1.DeleteOptions{})
		_ = registration.MutatingAdmissionPolicies().Delete(context.Background(), namespace, metav1.DeleteOptions{})
	})
}

// TestInformersOfAdmission runs typed informers of all kinds of admission over protobuf. They hold what JSON shows, and
// hear of deletions.
func TestInformersOfAdmission(t *testing.T) {
	ctx := t.Context()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(overProtobuf()), 0)
	plain := rest.CopyConfig(restConfig)
	plain.ContentType = "application/json"
	text, err := client.New(plain, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	objects := inertAdmission()
	stores := map[client.Object]cache.Store{}
	for _, object := range objects {
		kind, err := text.GroupVersionKindFor(object)
		if err != nil {
			t.Fatal(err)
		}
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		informer, err := factory.ForResource(resource)
		if err != nil {
			t.Fatal(err)
		}
		stores[object] = informer.Informer().GetStore()
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for _, object := range objects {
		if err := text.Create(ctx, object); err != nil {
			t.Fatal(err)
		}
		eventually(t, func(ctx context.Context) error {
			want := object.DeepCopyObject().(client.Object)
			if err := text.Get(ctx, client.ObjectKeyFromObject(object), want); err != nil {
				return err
			}
			want.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
			if got, found, _ := stores[object].GetByKey(object.GetName()); !found || !equality.Semantic.DeepEqual(got, want) {
				return fmt.Errorf("got  %v\nwant %v", got, want)
			}
			return nil
		})
		if err := text.Delete(ctx, object); err != nil {
			t.Fatal(err)
		}
		eventually(t, func(context.Context) error {
			if got, found, _ := stores[object].GetByKey(object.GetName()); found {
				return fmt.Errorf("deleted, but there is %v", got)
			}
			return nil
		})
	}
}

// inertAdmission makes one object of each kind, with most of its fields, that no request matches.
func inertAdmission() []client.Object {
	mutating, validating := mutatingWebhooks(), validatingWebhooks()
	for i := range mutating.Webhooks {
		mutating.Webhooks[i].Rules[0].APIGroups = []string{"nothing.example.com"}
	}
	validating.Webhooks[0].Rules[0].APIGroups = []string{"nothing.example.com"}
	policy, binding := newValidatingPolicy("nowhere", "nowhere")
	policy.Spec.MatchConstraints.ExcludeResourceRules = []admissionv1.NamedRuleWithOperations{{
		ResourceNames: []string{"a", "b"}, RuleWithOperations: ruleFor("*", "*", "*/*", admissionv1.OperationAll)[0],
	}}
	policy.Spec.AuditAnnotations = []admissionv1.AuditAnnotation{{Key: "keys", ValueExpression: "string(variables.keys)"}}
	policy.Spec.Validations[0].Reason = ref(metav1.StatusReasonForbidden)
	binding.Spec.MatchResources = createdConfigMapsOf("nowhere")
	mutatingPolicy, mutatingBinding := newMutatingPolicy("nowhere", "nowhere")
	return []client.Object{mutating, validating, policy, binding, mutatingPolicy, mutatingBinding}
}
