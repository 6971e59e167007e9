package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// widgetHooks are the defaulter and the validator of widgets, as an operator writes them.
type widgetHooks struct{}

func (widgetHooks) Default(ctx context.Context, widget *Widget) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if widget.Annotations == nil {
		widget.Annotations = map[string]string{}
	}
	widget.Annotations["defaulted-on"] = string(request.Operation)
	if request.DryRun != nil && *request.DryRun {
		widget.Annotations["dry-run"] = "true"
	}
	return nil
}

func (widgetHooks) ValidateCreate(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Size == 13 {
		return nil, errors.New("13 is unlucky")
	}
	return admission.Warnings{"widgets are for tests"}, nil
}

func (widgetHooks) ValidateUpdate(_ context.Context, old, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Size < old.Spec.Size {
		return nil, fmt.Errorf("a widget cannot shrink from %d to %d", old.Spec.Size, widget.Spec.Size)
	}
	return nil, nil
}

func (widgetHooks) ValidateDelete(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Colour == "red" {
		status := apierrors.NewConflict(widgetVersion.WithResource("widgets").GroupResource(), widget.Name, errors.New("red widgets stay"))
		return nil, status
	}
	return nil, nil
}

// annotateRequest makes a handler that writes the kinds of its request, as "sent as called", into an annotation.
func annotateRequest(annotation string) admission.HandlerFunc {
	return func(_ context.Context, request admission.Request) admission.Response {
		object := map[string]any{}
		if err := json.Unmarshal(request.Object.Raw, &object); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		metadata := object["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
			metadata["annotations"] = annotations
		}
		annotations[annotation] = fmt.Sprintf("%s as %s", request.RequestKind.Version, request.Kind.Version)
		changed, err := json.Marshal(object)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		return admission.PatchResponseFromRaw(request.Object.Raw, changed)
	}
}

func ref[T any](value T) *T { return &value }

// servedAt is the configuration of a webhook that envtest serves: it replaces the service by its own address.
func servedAt(path string) admissionv1.WebhookClientConfig {
	return admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "default", Name: "shop", Path: &path}}
}

func ruleFor(group, version, resource string, operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
	rule := admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}}
	return []admissionv1.RuleWithOperations{{Operations: operations, Rule: rule}}
}

// nowhere is an address at which nothing listens.
const nowhere = "https://127.0.0.1:1/"

func mutatingWebhooks() *admissionv1.MutatingWebhookConfiguration {
	created := admissionv1.Create
	hook := func(name string, client admissionv1.WebhookClientConfig, rules []admissionv1.RuleWithOperations) admissionv1.MutatingWebhook {
		return admissionv1.MutatingWebhook{
			Name: name + ".shop.example.com", ClientConfig: client, Rules: rules,
			SideEffects: ref(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}
	}
	defaulting := hook("default", servedAt("/mutate-shop-example-com-v1-widget"), ruleFor("shop.example.com", "v1", "widgets", created, admissionv1.Update))
	defaulting.SideEffects = ref(admissionv1.SideEffectClassNoneOnDryRun)

	scalers := ruleFor("autoscaling", "v1", "horizontalpodautoscalers", created)
	equivalent := hook("equivalent", servedAt("/equivalent"), scalers)
	exact := hook("exact", servedAt("/exact"), scalers)
	exact.MatchPolicy = ref(admissionv1.Exact)

	configMaps := ruleFor("", "v1", "configmaps", created)
	selecting := hook("selecting", servedAt("/selecting"), configMaps)
	selecting.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"hooked": "yes"}}
	conditional := hook("conditional", servedAt("/conditional"), configMaps)
	conditional.ObjectSelector = selecting.ObjectSelector
	conditional.MatchConditions = []admissionv1.MatchCondition{
		{Name: "named", Expression: `object.metadata.name.startsWith("match-")`},
		{Name: "by-an-admin", Expression: `"system:masters" in request.userInfo.groups`},
	}
	ignored := hook("ignored", admissionv1.WebhookClientConfig{URL: ref(nowhere)}, configMaps)
	ignored.FailurePolicy = ref(admissionv1.Ignore)
	failing := hook("failing", admissionv1.WebhookClientConfig{URL: ref(nowhere)}, configMaps)
	failing.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"hooked": "in-vain"}}
	return &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Webhooks:   []admissionv1.MutatingWebhook{defaulting, equivalent, exact, selecting, conditional, ignored, failing},
	}
}

func validatingWebhooks() *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "validate.shop.example.com",
			ClientConfig:            servedAt("/validate-shop-example-com-v1-widget"),
			Rules:                   ruleFor("shop.example.com", "v1", "widgets", admissionv1.OperationAll),
			SideEffects:             ref(admissionv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

// warnings are those that a client received.
type warnings struct {
	lock     sync.Mutex
	received []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.received = append(w.received, text)
}

func (w *warnings) has(text string) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return slices.Contains(w.received, text)
}

// hookedServer starts a server of its own into which envtest installs the webhooks, and a manager that serves them.
func hookedServer(t *testing.T) (client.Client, *warnings) {
	t.Helper()
	server := &envtest.Environment{
		CRDDirectoryPaths:     []string{"testdata"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			MutatingWebhooks:   []*admissionv1.MutatingWebhookConfiguration{mutatingWebhooks()},
			ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{validatingWebhooks()},
		},
	}
	config, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	serveWebhooks(t, config, &server.WebhookInstallOptions)

	received := &warnings{}
	config = rest.CopyConfig(config)
	config.WarningHandler = received
	asAdmin, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		return asAdmin.Create(ctx, newWidget("probe", WidgetSpec{Size: 1}), client.DryRunAll)
	})
	return asAdmin, received
}

func serveWebhooks(t *testing.T, config *rest.Config, installed *envtest.WebhookInstallOptions) {
	t.Helper()
	options := managerOptions("default")
	options.WebhookServer = webhook.NewServer(webhook.Options{
		Host: installed.LocalServingHost, Port: installed.LocalServingPort, CertDir: installed.LocalServingCertDir,
	})
	m, err := ctrl.NewManager(config, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewWebhookManagedBy(m, &Widget{}).WithDefaulter(widgetHooks{}).WithValidator(widgetHooks{}).Complete(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"equivalent", "exact", "selecting", "conditional"} {
		m.GetWebhookServer().Register("/"+name, &webhook.Admission{Handler: annotateRequest(name)})
	}
	start(t, m)
}

func newWidget(name string, spec WidgetSpec) *Widget {
	return &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: spec}
}

// TestWebhooks runs the webhooks of an operator, which envtest installs and a manager serves.
func TestWebhooks(t *testing.T) {
	admin, received := hookedServer(t)
	t.Run("default and validate a custom resource", func(t *testing.T) { testWidgetHooks(t, admin, received) })
	t.Run("see a dry run", func(t *testing.T) { testDryRun(t, admin) })
	t.Run("catch other versions of a resource", func(t *testing.T) { testMatchPolicy(t, admin) })
	t.Run("select objects and evaluate conditions", func(t *testing.T) { testSelection(t, admin) })
	t.Run("fail as their policy says", func(t *testing.T) { testFailurePolicies(t, admin) })
}

func testWidgetHooks(t *testing.T, admin client.Client, received *warnings) {
	ctx := t.Context()
	widget := newWidget("kept", WidgetSpec{Size: 3, Colour: "red"})
	if err := admin.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if widget.Annotations["defaulted-on"] != "CREATE" || !received.has("widgets are for tests") {
		t.Errorf("created with %v and the warnings %q", widget.Annotations, received.received)
	}
	widget.Spec.Size = 5
	if err := admin.Update(ctx, widget); err != nil || widget.Annotations["defaulted-on"] != "UPDATE" {
		t.Errorf("updated with %v, %v", widget.Annotations, err)
	}
	shrunk := widget.DeepCopyObject().(*Widget)
	shrunk.Spec.Size = 4
	denied := `admission webhook "validate.shop.example.com" denied the request: `
	for _, refusal := range []struct {
		err    error
		want   string
		reason metav1.StatusReason
	}{
		{admin.Create(ctx, newWidget("bad", WidgetSpec{Size: 13})), denied + "13 is unlucky", metav1.StatusReasonForbidden},
		{admin.Update(ctx, shrunk), denied + "a widget cannot shrink from 5 to 4", metav1.StatusReasonForbidden},
		{
			admin.Delete(ctx, widget),
			denied + `Operation cannot be fulfilled on widgets.shop.example.com "kept": red widgets stay`,
			metav1.StatusReasonConflict,
		},
	} {
		if refusal.err == nil || refusal.err.Error() != refusal.want || apierrors.ReasonForError(refusal.err) != refusal.reason {
			t.Errorf("got  %v (%s)\nwant %s (%s)", refusal.err, apierrors.ReasonForError(refusal.err), refusal.want, refusal.reason)
		}
	}
	widget.Spec.Colour = "blue"
	if err := admin.Update(ctx, widget); err != nil {
		t.Error(err)
	}
	if err := admin.Delete(ctx, widget); err != nil {
		t.Error(err)
	}
}

func testDryRun(t *testing.T, admin client.Client) {
	widget := newWidget("dry", WidgetSpec{Size: 1})
	if err := admin.Create(t.Context(), widget, client.DryRunAll); err != nil || widget.Annotations["dry-run"] != "true" {
		t.Errorf("the result of the dry run is %v, %v", widget.Annotations, err)
	}
	if err := admin.Get(t.Context(), client.ObjectKeyFromObject(widget), widget); !apierrors.IsNotFound(err) {
		t.Errorf("a dry run stored %v, %v", widget, err)
	}
}

func testMatchPolicy(t *testing.T, admin client.Client) {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }
	first := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: meta("first"), Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"},
		MaxReplicas:    4, TargetCPUUtilizationPercentage: ref(int32(70)),
	}}
	memory := autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name:   corev1.ResourceMemory,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ref(int32(60))},
	}}
	second := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta("second"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"},
		MaxReplicas:    4, Metrics: []autoscalingv2.MetricSpec{memory},
	}}
	for _, object := range []client.Object{first, second} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	if seen := first.Annotations; seen["equivalent"] != "v1 as v1" || seen["exact"] != "v1 as v1" {
		t.Errorf("of v1: %v", seen)
	}
	if seen := second.Annotations; seen["equivalent"] != "v2 as v1" || seen["exact"] != "" {
		t.Errorf("of v2: %v", seen)
	}
	// The webhook saw v1, which has such metrics in an annotation only.
	if metrics := second.Spec.Metrics; len(metrics) != 1 || metrics[0].Resource == nil || metrics[0].Resource.Name != corev1.ResourceMemory || len(second.Annotations) != 1 {
		t.Errorf("after its conversion: %+v %v", metrics, second.Annotations)
	}
}

func newConfigMap(name string, hooked string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"hooked": hooked}}}
}

func testSelection(t *testing.T, admin client.Client) {
	for _, c := range []struct {
		object *corev1.ConfigMap
		want   string
	}{
		{newConfigMap("match-selected", "yes"), "map[conditional:v1 as v1 selecting:v1 as v1]"},
		{newConfigMap("other-selected", "yes"), "map[selecting:v1 as v1]"},
		{newConfigMap("match-other", "no"), "map[]"},
	} {
		if err := admin.Create(t.Context(), c.object); err != nil || fmt.Sprint(c.object.Annotations) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.object.Name, c.object.Annotations, err, c.want)
		}
	}
}

// testFailurePolicies creates objects of which a webhook should hear at an address where nothing listens.
func testFailurePolicies(t *testing.T, admin client.Client) {
	if err := admin.Create(t.Context(), newConfigMap("ignored", "no")); err != nil {
		t.Error(err)
	}
	err := admin.Create(t.Context(), newConfigMap("failing", "in-vain"))
	want := `Internal error occurred: failed calling webhook "failing.shop.example.com": failed to call webhook: ` +
		`Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`
	if !apierrors.IsInternalError(err) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
