package envtest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// What kube-controller-manager and kube-scheduler do with a server, by the same library: test/kcm runs the programs
// themselves where there are any.

// overProtobuf is a config as the control plane's own programs have it.
func overProtobuf() *rest.Config {
	copied := rest.CopyConfig(restConfig)
	copied.ContentType = "application/vnd.kubernetes.protobuf"
	copied.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return copied
}

// listable names every resource of the server that can be listed and watched.
func listable(t *testing.T) []schema.GroupVersionResource {
	t.Helper()
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(restConfig).ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	watchable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists)
	resources, err := discovery.GroupVersionResources(watchable)
	if err != nil {
		t.Fatal(err)
	}
	found := make([]schema.GroupVersionResource, 0, len(resources))
	for resource := range resources {
		found = append(found, resource)
	}
	slices.SortFunc(found, func(a, b schema.GroupVersionResource) int { return strings.Compare(a.String(), b.String()) })
	return found
}

// TestInformersOfEverything runs a shared informer for each kind: over protobuf with types, and over metadata alone as
// the garbage collector has them.
func TestInformersOfEverything(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	namespace := newNamespace(t)
	resources := listable(t)
	typed := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(overProtobuf()), 0)
	partial := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(overProtobuf()), 0)
	withTypes := 0
	for _, resource := range resources {
		partial.ForResource(resource)
		if _, err := typed.ForResource(resource); err == nil {
			withTypes++
		} else if !isCustom(resource) {
			t.Errorf("%v: %v", resource, err)
		}
	}
	if withTypes < 44 {
		t.Errorf("only %d kinds with types", withTypes)
	}
	seen := make(chan string, 100)
	pods := typed.Core().V1().Pods().Informer()
	if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { seen <- object.(*corev1.Pod).Spec.Containers[0].Image },
	}); err != nil {
		t.Fatal(err)
	}
	typed.Start(ctx.Done())
	partial.Start(ctx.Done())
	for kind, synced := range typed.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Errorf("%v is not synced over protobuf", kind)
		}
	}
	for resource, synced := range partial.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Errorf("metadata of %v are not synced", resource)
		}
	}
	client := kubernetes.NewForConfigOrDie(overProtobuf())
	if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod("watched"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case image := <-seen:
		if image != "nothing:1" {
			t.Errorf("image %q", image)
		}
	case <-time.After(10 * time.Second):
		t.Error("the informer does not hear of a pod")
	}
	eventually(t, func(context.Context) error {
		object, err := partial.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Lister().ByNamespace(namespace).Get("watched")
		if err != nil {
			return err
		}
		if object.(*metav1.PartialObjectMetadata).Labels["app"] != "nothing" {
			return fmt.Errorf("metadata: %v", object)
		}
		return nil
	})
}

func isCustom(resource schema.GroupVersionResource) bool {
	others := []string{"apiextensions.k8s.io", "apiregistration.k8s.io", widgetVersion.Group}
	return slices.Contains(others, resource.Group)
}

func pod(name string) *corev1.Pod {
	container := corev1.Container{Name: "c", Image: "nothing:1"}
	meta := metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "nothing"}}
	return &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
}

// TestProtobufAndJSONAgree writes by one encoding and reads by both.
func TestProtobufAndJSONAgree(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	binary, text := kubernetes.NewForConfigOrDie(overProtobuf()), kubernetes.NewForConfigOrDie(restConfig)
	labels := map[string]string{"app": "nothing"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("").Spec}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	meta := metav1.ObjectMeta{Name: "both", Namespace: namespace}
	job := template
	job.Spec.RestartPolicy = corev1.RestartPolicyNever
	create := metav1.CreateOptions{}
	check := func(kind string, written any, err error, read func(kubernetes.Interface) (any, error)) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			return
		}
		for encoding, client := range map[string]kubernetes.Interface{"protobuf": binary, "JSON": text} {
			got, err := read(client)
			if err != nil || !reflect.DeepEqual(got, written) {
				t.Errorf("%s over %s: %v\ngot  %+v\nwant %+v", kind, encoding, err, got, written)
			}
		}
	}
	{
		written, err := binary.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{
			ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template},
		}, create)
		check("Deployment", written, err, func(client kubernetes.Interface) (any, error) {
			return client.AppsV1().Deployments(namespace).Get(ctx, "both", metav1.GetOptions{})
		})
	}
	{
		written, err := binary.BatchV1().CronJobs(namespace).Create(ctx, &batchv1.CronJob{
			ObjectMeta: meta,
			Spec: batchv1.CronJobSpec{
				Schedule: "*/5 * * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: job}},
			},
		}, create)
		check("CronJob", written, err, func(client kubernetes.Interface) (any, error) {
			return client.BatchV1().CronJobs(namespace).Get(ctx, "both", metav1.GetOptions{})
		})
	}
	{
		written, err := binary.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
			ObjectMeta: meta,
			Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}},
		}, create)
		check("Service", written, err, func(client kubernetes.Interface) (any, error) {
			return client.CoreV1().Services(namespace).Get(ctx, "both", metav1.GetOptions{})
		})
	}
	{
		written, err := binary.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{
			ObjectMeta: meta, Data: map[string][]byte{"bytes": {0, 255, 128}},
		}, create)
		check("Secret", written, err, func(client kubernetes.Interface) (any, error) {
			return client.CoreV1().Secrets(namespace).Get(ctx, "both", metav1.GetOptions{})
		})
	}
	{
		written, err := binary.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{
			ObjectMeta: meta,
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}},
		}, create)
		check("Role", written, err, func(client kubernetes.Interface) (any, error) {
			return client.RbacV1().Roles(namespace).Get(ctx, "both", metav1.GetOptions{})
		})
	}
}

// TestControllersWrite does over protobuf what controllers write all day: scale, status, bindings of tokens, deletions.
func TestControllersWrite(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	client := kubernetes.NewForConfigOrDie(overProtobuf())
	labels := map[string]string{"app": "nothing"}
	set, err := client.AppsV1().ReplicaSets(namespace).Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "set"},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("").Spec},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set.Status = appsv1.ReplicaSetStatus{Replicas: 1, ObservedGeneration: set.Generation}
	if set, err = client.AppsV1().ReplicaSets(namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{}); err != nil || set.Status.Replicas != 1 {
		t.Errorf("status: %v, %v", set.Status, err)
	}
	scale, err := client.AppsV1().ReplicaSets(namespace).GetScale(ctx, "set", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 4
	if scale, err = client.AppsV1().ReplicaSets(namespace).UpdateScale(ctx, "set", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 4 {
		t.Errorf("scale: %v, %v", scale, err)
	}
	if _, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	review, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
	if err != nil || !review.Status.Authenticated || review.Status.User.Username != "system:serviceaccount:"+namespace+":robot" {
		t.Errorf("review: %+v, %v", review.Status, err)
	}
	for i := range 3 {
		if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod(fmt.Sprint("p", i)), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=nothing"}); err != nil {
		t.Fatal(err)
	}
	if left, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{}); err != nil || len(left.Items) != 0 {
		t.Errorf("%d pods are left, error %v", len(left.Items), err)
	}
}

// TestLeaderElection holds a lease as the control plane's programs do, with an event for each change.
func TestLeaderElection(t *testing.T) {
	namespace := newNamespace(t)
	client := kubernetes.NewForConfigOrDie(overProtobuf())
	broadcaster := events.NewEventBroadcasterAdapter(client)
	stopEvents := make(chan struct{})
	defer close(stopEvents)
	broadcaster.StartRecordingToSink(stopEvents)
	led := make(chan string, 2)
	run := func(identity string) (context.CancelFunc, chan struct{}) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		recorder := broadcaster.DeprecatedNewLegacyRecorder("test")
		lockConfig := resourcelock.ResourceLockConfig{Identity: identity, EventRecorder: recorder}
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "controller", client.CoreV1(), client.CoordinationV1(), lockConfig)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, LeaseDuration: 2 * time.Second, RenewDeadline: time.Second, RetryPeriod: 100 * time.Millisecond,
				ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { led <- identity },
					OnStoppedLeading: func() {},
				},
			})
		}()
		return cancel, ended
	}
	leader := func() string {
		t.Helper()
		select {
		case identity := <-led:
			return identity
		case <-time.After(10 * time.Second):
			t.Fatal("nobody leads")
			return ""
		}
	}
	stopFirst, firstEnded := run("first")
	if got := leader(); got != "first" {
		t.Fatalf("%s leads", got)
	}
	run("second")
	// Longer than a lease: only renewals keep it.
	time.Sleep(2500 * time.Millisecond)
	stopFirst()
	<-firstEnded
	if got := leader(); got != "second" {
		t.Fatalf("%s leads", got)
	}
	eventually(t, func(ctx context.Context) error {
		lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "controller", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
			return fmt.Errorf("lease %+v", lease.Spec)
		}
		written, err := client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=LeaderElection"})
		if err != nil {
			return err
		}
		if len(written.Items) < 2 {
			return fmt.Errorf("%d events of the election", len(written.Items))
		}
		return nil
	})
}
