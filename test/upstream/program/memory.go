package main

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// memory keeps objects without a strategy, as MemoryRestStorage of @apiserver/endpoints-installer does.
type memory struct {
	rest.TableConvertor
	scheme   *runtime.Scheme
	served   kind
	objects  map[string]runtime.Object
	revision int
}

func newMemory(scheme *runtime.Scheme, served kind) *memory {
	resource := schema.GroupResource{Group: served.Group, Resource: served.Resource}
	return &memory{rest.NewDefaultTableConvertor(resource), scheme, served, map[string]runtime.Object{}, 0}
}

func (m *memory) clear() {
	m.objects, m.revision = map[string]runtime.Object{}, 0
}

func (m *memory) resource() schema.GroupResource {
	return schema.GroupResource{Group: m.served.Group, Resource: m.served.Resource}
}

func (m *memory) made(name string) runtime.Object {
	version := schema.GroupVersion{Group: m.served.Group, Version: m.served.Version}
	object, err := m.scheme.New(version.WithKind(name))
	if err != nil {
		panic(err)
	}
	return object
}

func (m *memory) New() runtime.Object     { return m.made(m.served.Kind) }
func (m *memory) NewList() runtime.Object { return m.made(m.served.Kind + "List") }
func (m *memory) Destroy()                {}
func (m *memory) NamespaceScoped() bool   { return m.served.Namespaced }
func (m *memory) GetSingularName() string { return "" }

func keyOf(ctx context.Context, name string) string {
	return request.NamespaceValue(ctx) + "/" + name
}

func (m *memory) put(key string, object runtime.Object) runtime.Object {
	m.revision++
	kept := m.atRest(object)
	accessor(kept).SetResourceVersion(strconv.Itoa(m.revision))
	m.objects[key] = kept
	return kept.DeepCopyObject()
}

// atRest is what an etcd returns: protobuf loses empty lists and maps.
func (m *memory) atRest(object runtime.Object) runtime.Object {
	message, err := object.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		panic(err)
	}
	kept := m.New()
	if err := kept.(interface{ Unmarshal([]byte) error }).Unmarshal(message); err != nil {
		panic(err)
	}
	return kept
}

func accessor(object runtime.Object) metav1.Object {
	found, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return found
}

func (m *memory) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	object, ok := m.objects[keyOf(ctx, name)]
	if !ok {
		return nil, errors.NewNotFound(m.resource(), name)
	}
	return object.DeepCopyObject(), nil
}

func (m *memory) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	names := []string{}
	for key, object := range m.objects {
		set := accessor(object)
		inNamespace := request.NamespaceValue(ctx) == "" || set.GetNamespace() == request.NamespaceValue(ctx)
		selected := options.LabelSelector == nil || options.LabelSelector.Matches(labels.Set(set.GetLabels()))
		chosen := fields.Set{"metadata.name": set.GetName(), "metadata.namespace": set.GetNamespace()}
		if inNamespace && selected && (options.FieldSelector == nil || options.FieldSelector.Matches(chosen)) {
			names = append(names, key)
		}
	}
	sort.Strings(names)
	found := names
	if options.Limit > 0 && options.Limit < int64(len(names)) {
		names = names[:options.Limit]
	}
	items := []runtime.Object{}
	for _, key := range names {
		items = append(items, m.objects[key].DeepCopyObject())
	}
	list := m.NewList()
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	accessed, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessed.SetResourceVersion(strconv.Itoa(m.revision))
	if left := int64(len(found)) - int64(len(items)); left > 0 {
		accessed.SetContinue("next")
		accessed.SetRemainingItemCount(&left)
	}
	return list, nil
}

func (m *memory) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created := accessor(object)
	key := keyOf(ctx, created.GetName())
	if _, ok := m.objects[key]; ok {
		return nil, errors.NewAlreadyExists(m.resource(), created.GetName())
	}
	created.SetUID(types.UID(fmt.Sprintf("uid-%d", m.revision+1)))
	created.SetCreationTimestamp(metav1.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC))
	if err := validate(ctx, object.DeepCopyObject()); err != nil {
		return nil, err
	}
	if len(options.DryRun) > 0 {
		return object, nil
	}
	return m.put(key, object), nil
}

func (m *memory) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	key := keyOf(ctx, name)
	current, ok := m.objects[key]
	if !ok {
		return m.createByUpdate(ctx, name, info, create, forceAllowCreate, options)
	}
	object, err := info.UpdatedObject(ctx, current.DeepCopyObject())
	if err != nil {
		return nil, false, err
	}
	updated := accessor(object)
	updated.SetUID(accessor(current).GetUID())
	updated.SetCreationTimestamp(accessor(current).GetCreationTimestamp())
	if version := updated.GetResourceVersion(); version != "" && version != accessor(current).GetResourceVersion() {
		return nil, false, errors.NewConflict(m.resource(), name, fmt.Errorf("the object has been modified"))
	}
	if err := update(ctx, object.DeepCopyObject(), current.DeepCopyObject()); err != nil {
		return nil, false, err
	}
	if len(options.DryRun) > 0 {
		return object, false, nil
	}
	return m.put(key, object), false, nil
}

func (m *memory) createByUpdate(ctx context.Context, name string, info rest.UpdatedObjectInfo, validate rest.ValidateObjectFunc, force bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	if !force {
		// The real store asks for the object first too: a patch reports its own error.
		if _, err := info.UpdatedObject(ctx, m.New()); err != nil {
			return nil, false, err
		}
		return nil, false, errors.NewNotFound(m.resource(), name)
	}
	object, err := info.UpdatedObject(ctx, m.New())
	if err != nil {
		return nil, false, err
	}
	created, err := m.Create(ctx, object, validate, &metav1.CreateOptions{DryRun: options.DryRun})
	return created, true, err
}

func (m *memory) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	key := keyOf(ctx, name)
	object, ok := m.objects[key]
	if !ok {
		return nil, false, errors.NewNotFound(m.resource(), name)
	}
	if err := validate(ctx, object.DeepCopyObject()); err != nil {
		return nil, false, err
	}
	removed := len(accessor(object).GetFinalizers()) == 0
	if removed && len(options.DryRun) == 0 {
		delete(m.objects, key)
	}
	if !removed {
		return object.DeepCopyObject(), false, nil
	}
	found := accessor(object)
	details := &metav1.StatusDetails{Name: found.GetName(), Group: m.served.Group, Kind: m.served.Resource, UID: found.GetUID()}
	return &metav1.Status{Status: metav1.StatusSuccess, Details: details}, true, nil
}

func (m *memory) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions, listOptions *internalversion.ListOptions) (runtime.Object, error) {
	list, err := m.List(ctx, listOptions)
	if err != nil {
		return nil, err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if _, _, err := m.Delete(ctx, accessor(item).GetName(), validate, options); err != nil {
			return nil, err
		}
	}
	return list, nil
}
