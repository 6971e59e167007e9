package envtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "shop.example.com/tidy"

// widgetReconciler is a small operator: a Widget owns a ConfigMap of its size, has a status, and is tidied up after.
type widgetReconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *widgetReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(widget, finalizer)
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		if err := r.Update(ctx, widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	done, err := controllerutil.CreateOrUpdate(ctx, r.Client, owned, func() error {
		owned.Data = map[string]string{"size": fmt.Sprint(widget.Spec.Size), "colour": widget.Spec.Colour}
		return controllerutil.SetControllerReference(widget, owned, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if done == controllerutil.OperationResultCreated {
		r.recorder.Eventf(widget, owned, corev1.EventTypeNormal, "Created", "Create", "made %s", owned.Name)
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status = WidgetStatus{Ready: true, ObservedSize: widget.Spec.Size, ObservedGeneration: widget.Generation}
	return ctrl.Result{}, r.Status().Patch(ctx, widget, client.MergeFrom(before))
}

func (r *widgetReconciler) setUp(m manager.Manager) error {
	r.recorder = m.GetEventRecorder("widgets")
	return ctrl.NewControllerManagedBy(m).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

func managerOptions(namespace string) ctrl.Options {
	notUnique := true
	return ctrl.Options{
		Scheme:     scheme,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Controller: config.Controller{SkipNameValidation: &notUnique},
	}
}

// start runs a manager until the test ends or the function that is returned is called.
func start(t *testing.T, m manager.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error("the manager ended with", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the manager does not end")
		}
	}
	t.Cleanup(stop)
	return stop
}

func newWidgetManager(t *testing.T, options ctrl.Options) manager.Manager {
	t.Helper()
	m, err := ctrl.NewManager(restConfig, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&widgetReconciler{Client: m.GetClient()}).setUp(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestReconcile(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	m := newWidgetManager(t, managerOptions(namespace))
	start(t, m)
	key := client.ObjectKey{Namespace: namespace, Name: "first"}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "first"}, Spec: WidgetSpec{Size: 3}}
	if err := direct.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if widget.Spec.Colour != "grey" || widget.Generation != 1 {
		t.Errorf("the default is missing, or the generation: %+v", widget)
	}

	// Through the manager's cache: it has to hear of what the reconciler writes.
	hasSize := func(size int, colour string, generation int64) func(context.Context) error {
		return func(ctx context.Context) error {
			owned, current := &corev1.ConfigMap{}, &Widget{}
			if err := m.GetClient().Get(ctx, key, owned); err != nil {
				return err
			}
			if err := m.GetClient().Get(ctx, key, current); err != nil {
				return err
			}
			want := WidgetStatus{Ready: true, ObservedSize: size, ObservedGeneration: generation}
			if owned.Data["size"] != fmt.Sprint(size) || owned.Data["colour"] != colour || current.Status != want {
				return fmt.Errorf("data %v, status %+v, want %+v", owned.Data, current.Status, want)
			}
			return nil
		}
	}
	eventually(t, hasSize(3, "grey", 1))

	owned := &corev1.ConfigMap{}
	if err := direct.Get(ctx, key, owned); err != nil {
		t.Fatal(err)
	}
	if err := direct.Get(ctx, key, widget); err != nil {
		t.Fatal(err)
	}
	reference := metav1.GetControllerOf(owned)
	if reference == nil || reference.UID != widget.UID || reference.Kind != "Widget" || reference.APIVersion != "shop.example.com/v1" {
		t.Errorf("owner: %+v", reference)
	}

	widget.Spec = WidgetSpec{Size: 5, Colour: "red"}
	if err := direct.Update(ctx, widget); err != nil {
		t.Fatal(err)
	}
	eventually(t, hasSize(5, "red", 2))

	// Somebody takes the owned object away: its deletion calls the reconciler.
	if err := direct.Delete(ctx, owned); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		again := &corev1.ConfigMap{}
		if err := direct.Get(ctx, key, again); err != nil {
			return err
		}
		if again.UID == owned.UID {
			return fmt.Errorf("still the old one")
		}
		return nil
	})

	eventually(t, func(ctx context.Context) error {
		list := &eventsv1.EventList{}
		if err := direct.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Regarding.UID == widget.UID && event.Reason == "Created" && event.Note == "made first" {
				return nil
			}
		}
		return fmt.Errorf("no event among %d", len(list.Items))
	})

	if err := direct.Delete(ctx, widget); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		if err := direct.Get(ctx, key, &Widget{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the finalizer keeps it: %v", err)
		}
		return nil
	})
}

func TestRefusals(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "refused"}
	for want, spec := range map[string]WidgetSpec{
		`spec.size: Invalid value: 101: spec.size in body should be less than or equal to 100`: {Size: 101},
		`spec.colour: Unsupported value: "pink": supported values: "grey", "red", "blue"`:      {Colour: "pink"},
	} {
		err := direct.Create(ctx, &Widget{ObjectMeta: meta, Spec: spec})
		if want = `Widget.shop.example.com "refused" is invalid: ` + want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}

	widget := &Widget{ObjectMeta: meta, Spec: WidgetSpec{Size: 1}, Status: WidgetStatus{Ready: true}}
	if err := direct.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if widget.Status.Ready {
		t.Error("a create wrote the status")
	}
	stale := widget.DeepCopyObject().(*Widget)
	widget.Status.Ready, widget.Spec.Size = true, 7
	if err := direct.Status().Update(ctx, widget); err != nil {
		t.Fatal(err)
	}
	if widget.Spec.Size != 1 || !widget.Status.Ready || widget.Generation != 1 {
		t.Errorf("an update of the status wrote %+v", widget)
	}
	stale.Status.ObservedSize = 2
	if err := direct.Status().Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Errorf("want a conflict, got %v", err)
	}
}

func TestManagersTakeTurns(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	lease, renew, retry := 3*time.Second, 2*time.Second, 200*time.Millisecond
	elected := func() (manager.Manager, func()) {
		options := managerOptions(namespace)
		options.LeaderElection = true
		options.LeaderElectionID = "widgets"
		options.LeaderElectionNamespace = namespace
		options.LeaderElectionReleaseOnCancel = true
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &lease, &renew, &retry
		m := newWidgetManager(t, options)
		return m, start(t, m)
	}
	first, stopFirst := elected()
	wait(t, first.Elected(), "nobody is elected")
	second, _ := elected()
	select {
	case <-second.Elected():
		t.Fatal("two leaders at once")
	case <-time.After(time.Second):
	}
	stopFirst()
	wait(t, second.Elected(), "the second one does not take over")

	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "after"}, Spec: WidgetSpec{Size: 1}}
	if err := direct.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(widget), widget); err != nil {
			return err
		}
		if !widget.Status.Ready {
			return fmt.Errorf("the new leader does not reconcile")
		}
		return nil
	})
}

func wait(t *testing.T, channel <-chan struct{}, message string) {
	t.Helper()
	select {
	case <-channel:
	case <-time.After(15 * time.Second):
		t.Fatal(message)
	}
}
