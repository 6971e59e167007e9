package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// life is one object on its way from create to delete; what is answered is compared with what is read and watched.
type life struct {
	*testing.T
	client.WithWatch
	// json reads and applies: controller-runtime understands no other answer to an apply.
	json    client.Client
	kind    servedKind
	example *unstructured.Unstructured
	object  client.Object
	events  watch.Interface
	// revisions of everything that was answered since the watch began
	revisions []string
}

func (l *life) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"watch", l.watch}, {"create", l.create}, {"settle", l.settle}, {"read", l.read}, {"update", l.update},
		{"patch", l.patch}, {"apply", l.apply}, {"status", l.status}, {"list", l.list},
		{"refuse to delete", l.refuseToDelete}, {"delete", l.delete}, {"events", l.seeEvents},
	} {
		if err := step.do(ctx); err != nil {
			l.Fatalf("%s: %v", step.name, err)
		}
	}
}

func (l *life) key() client.ObjectKey { return client.ObjectKeyFromObject(l.example) }

func (l *life) named() *client.ListOptions {
	selector := fields.OneTermEqualSelector("metadata.name", l.example.GetName())
	return &client.ListOptions{Namespace: l.example.GetNamespace(), FieldSelector: selector}
}

func (l *life) newList() client.ObjectList {
	kind := l.kind.GroupVersionKind
	kind.Kind += "List"
	if made, err := l.Scheme().New(kind); err == nil {
		return made.(client.ObjectList)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	return list
}

func (l *life) watch(ctx context.Context) error {
	list := l.newList()
	if err := l.List(ctx, list, l.named()); err != nil {
		return err
	}
	options := l.named()
	options.Raw = &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}
	events, err := l.Watch(ctx, l.newList(), options)
	if err == nil {
		l.events = events
		l.Cleanup(events.Stop)
	}
	return err
}

func (l *life) create(ctx context.Context) (err error) {
	if l.object, err = typedCopy(l.Scheme(), l.example); err != nil {
		return err
	}
	again := l.object.DeepCopyObject().(client.Object)
	if err := l.Create(ctx, l.object); err != nil {
		return err
	}
	l.revisions = append(l.revisions, l.object.GetResourceVersion())
	if err := l.Create(ctx, again); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second one: %v", err)
	}
	return nil
}

// settle waits for the server's own controllers, which write the status of these kinds.
func (l *life) settle(ctx context.Context) error {
	for !l.isSettled() {
		time.Sleep(10 * time.Millisecond)
		if err := l.Get(ctx, l.key(), l.object); err != nil {
			return err
		}
		if last := l.object.GetResourceVersion(); !slices.Contains(l.revisions, last) {
			l.revisions = append(l.revisions, last)
		}
	}
	return nil
}

func (l *life) isSettled() bool {
	if policy, ok := l.object.(*admissionv1.ValidatingAdmissionPolicy); ok {
		return policy.Status.ObservedGeneration == policy.Generation
	}
	awaited := map[string]string{
		"CustomResourceDefinition": "Established", "APIService": "Available", "FlowSchema": "Dangling",
	}[l.kind.Kind]
	return awaited == "" || slices.Contains(conditionTypes(l.object), awaited)
}

func conditionTypes(object client.Object) (found []string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	conditions, _, _ := unstructured.NestedSlice(content, "status", "conditions")
	for _, condition := range conditions {
		name, _, _ := unstructured.NestedString(condition.(map[string]any), "type")
		found = append(found, name)
	}
	return found
}

// read gets it by both encodings, and its metadata alone.
func (l *life) read(ctx context.Context) error {
	for encoding, reader := range map[string]client.Client{"protobuf": l, "JSON": l.json} {
		got := newObject(l.Scheme(), l.kind.GroupVersionKind)
		if err := reader.Get(ctx, l.key(), got); err != nil {
			return err
		}
		got.GetObjectKind().SetGroupVersionKind(l.object.GetObjectKind().GroupVersionKind())
		if !equality.Semantic.DeepEqual(got, l.object) {
			return fmt.Errorf("over %s:\ngot  %+v\nwant %+v", encoding, got, l.object)
		}
	}
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(l.kind.GroupVersionKind)
	if err := l.Get(ctx, l.key(), partial); err != nil {
		return err
	}
	if partial.ResourceVersion != l.object.GetResourceVersion() || partial.UID != l.object.GetUID() {
		return fmt.Errorf("metadata alone: %+v", partial)
	}
	return nil
}

// write does it, and once more, where nothing is left to write: the revision stays.
func (l *life) write(do func() error) error {
	before := l.object.DeepCopyObject().(client.Object)
	if err := do(); err != nil {
		return err
	}
	// A deployment's annotations are copied to its replica sets, so they count.
	kept := l.object.GetGeneration() == before.GetGeneration() || l.kind.Kind == "Deployment"
	if l.object.GetResourceVersion() == before.GetResourceVersion() || !kept {
		return fmt.Errorf("revision %s after %s, generation %d after %d", l.object.GetResourceVersion(),
			before.GetResourceVersion(), l.object.GetGeneration(), before.GetGeneration())
	}
	l.revisions = append(l.revisions, l.object.GetResourceVersion())
	return l.writeNothing(do)
}

func (l *life) writeNothing(do func() error) error {
	before := l.object.DeepCopyObject().(client.Object)
	if err := do(); err != nil {
		return err
	}
	if !reflect.DeepEqual(l.object, before) {
		return fmt.Errorf("nothing to write wrote something:\nbefore %+v\nafter  %+v", before, l.object)
	}
	return nil
}

func (l *life) update(ctx context.Context) error {
	stale := l.object.DeepCopyObject().(client.Object)
	err := l.write(func() error {
		l.object.SetAnnotations(map[string]string{"by": "update"})
		return l.Update(ctx, l.object)
	})
	if err != nil {
		return err
	}
	if err := l.Update(ctx, stale); !apierrors.IsConflict(err) {
		return fmt.Errorf("of what is no longer there: %v", err)
	}
	return nil
}

func (l *life) patch(ctx context.Context) error {
	patches := map[types.PatchType]string{
		types.JSONPatchType:           `[{"op": "add", "path": "/metadata/annotations/by", "value": "json"}]`,
		types.MergePatchType:          `{"metadata": {"annotations": {"by": "merge"}}}`,
		types.StrategicMergePatchType: `{"metadata": {"annotations": {"by": "strategic"}}}`,
	}
	for form, body := range patches {
		if err := l.write(func() error { return l.Patch(ctx, l.object, client.RawPatch(form, []byte(body))) }); err != nil {
			return fmt.Errorf("%s: %w", form, err)
		}
	}
	return nil
}

// apply applies the example, by the typed apply configuration where there is one. It is forced, because defaults within
// an atomic list are another value.
func (l *life) apply(ctx context.Context) error {
	return l.write(func() error {
		configuration, err := l.applyConfiguration()
		if err != nil {
			return err
		}
		if err := l.json.Apply(ctx, configuration, client.FieldOwner("every-kind"), client.ForceOwnership); err != nil {
			return err
		}
		if err := l.Get(ctx, l.key(), l.object); err != nil {
			return err
		}
		applied := func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Manager == "every-kind" && entry.Operation == metav1.ManagedFieldsOperationApply
		}
		if !slices.ContainsFunc(l.object.GetManagedFields(), applied) {
			return fmt.Errorf("managed fields %v", l.object.GetManagedFields())
		}
		return nil
	})
}

func (l *life) applyConfiguration() (runtime.ApplyConfiguration, error) {
	applied := l.example.DeepCopy()
	applied.SetAnnotations(map[string]string{"applied": "yes"})
	configuration, ok := applyconfigurations.ForKind(l.kind.GroupVersionKind).(runtime.ApplyConfiguration)
	if !ok {
		return client.ApplyConfigurationFromUnstructured(applied), nil
	}
	text, err := json.Marshal(applied)
	if err != nil {
		return nil, err
	}
	return configuration, json.Unmarshal(text, configuration)
}

// status writes the status that is there, which is nothing to write.
func (l *life) status(ctx context.Context) error {
	if !l.kind.hasStatus {
		err := l.Status().Update(ctx, l.object.DeepCopyObject().(client.Object))
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("it has none: %v", err)
		}
		return nil
	}
	return l.writeNothing(func() error { return l.Status().Update(ctx, l.object) })
}

func (l *life) list(ctx context.Context) error {
	list := l.newList()
	if err := l.List(ctx, list, l.named()); err != nil {
		return err
	}
	partial := &metav1.PartialObjectMetadataList{}
	partial.SetGroupVersionKind(list.GetObjectKind().GroupVersionKind())
	kind := l.kind.GroupVersionKind
	kind.Kind += "List"
	partial.SetGroupVersionKind(kind)
	if err := l.List(ctx, partial, l.named()); err != nil {
		return err
	}
	items, err := runtimeItems(list)
	if err != nil {
		return err
	}
	if len(items) != 1 || len(partial.Items) != 1 || partial.Items[0].ResourceVersion != l.object.GetResourceVersion() {
		return fmt.Errorf("%d items, metadata %v", len(items), partial.Items)
	}
	items[0].GetObjectKind().SetGroupVersionKind(l.object.GetObjectKind().GroupVersionKind())
	if !equality.Semantic.DeepEqual(items[0], l.object) {
		return fmt.Errorf("got  %+v\nwant %+v", items[0], l.object)
	}
	return nil
}

// refuseToDelete tries what deletes nothing: another object's uid, an old revision, dry runs.
func (l *life) refuseToDelete(ctx context.Context) error {
	other, old := types.UID("other"), "1"
	for _, condition := range []client.Preconditions{{UID: &other}, {ResourceVersion: &old}} {
		if err := l.Delete(ctx, l.object, condition); !apierrors.IsConflict(err) {
			return fmt.Errorf("%+v: %v", condition, err)
		}
	}
	if err := l.Delete(ctx, l.object, client.DryRunAll); err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	if l.kind.canDeleteCollection {
		options := &client.DeleteAllOfOptions{ListOptions: *l.named()}
		if err := l.DeleteAllOf(ctx, newObject(l.Scheme(), l.kind.GroupVersionKind), options, client.DryRunAll); err != nil {
			return fmt.Errorf("dry run of a collection: %w", err)
		}
	}
	return l.writeNothing(func() error { return l.Get(ctx, l.key(), l.object) })
}

// delete deletes it, and plays the controllers that its finalizers wait for.
func (l *life) delete(ctx context.Context) error {
	uid := l.object.GetUID()
	if err := l.Delete(ctx, l.object, client.Preconditions{UID: &uid}); err != nil {
		return err
	}
	if namespace, ok := l.object.(*corev1.Namespace); ok {
		if err := l.Get(ctx, l.key(), namespace); err != nil {
			return err
		}
		namespace.Spec.Finalizers = nil
		if err := l.SubResource("finalize").Update(ctx, namespace); err != nil {
			return err
		}
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	if err := l.Patch(ctx, l.object.DeepCopyObject().(client.Object), none); client.IgnoreNotFound(err) != nil {
		return err
	}
	for {
		if err := l.Get(ctx, l.key(), l.object); apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// seeEvents compares the watch with what was answered: every revision once, in order, and the end.
func (l *life) seeEvents(ctx context.Context) error {
	var seen []string
	for last := 0; ; {
		select {
		case <-ctx.Done():
			return errors.New("the end of the object is not seen")
		case event := <-l.events.ResultChan():
			object, ok := event.Object.(client.Object)
			if !ok {
				return fmt.Errorf("%v", event)
			}
			revision, err := strconv.Atoi(object.GetResourceVersion())
			if err != nil || revision <= last || (event.Type == watch.Added) != (last == 0) {
				return fmt.Errorf("%s %v after %d", event.Type, revision, last)
			}
			last = revision
			if event.Type != watch.Deleted {
				seen = append(seen, object.GetResourceVersion())
				continue
			}
			for _, revision := range l.revisions {
				if !slices.Contains(seen, revision) {
					return fmt.Errorf("%s is missing among %v", revision, seen)
				}
			}
			return nil
		}
	}
}

func runtimeItems(list client.ObjectList) (items []client.Object, err error) {
	err = meta.EachListItem(list, func(item runtime.Object) error {
		items = append(items, item.(client.Object))
		return nil
	})
	return items, err
}
