package main

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// plainStrategy accepts everything. A resource and its status each keep the fields of the other, as most strategies do.
type plainStrategy struct {
	runtime.ObjectTyper
	kind     kind
	isStatus bool
}

// GenerateName returns the same name each time: the next object cannot have it.
func (plainStrategy) GenerateName(base string) string { return base + "made" }

func (s plainStrategy) NamespaceScoped() bool                                          { return s.kind.Namespaced }
func (plainStrategy) AllowCreateOnUpdate() bool                                        { return false }
func (plainStrategy) AllowUnconditionalUpdate() bool                                   { return true }
func (plainStrategy) Canonicalize(runtime.Object)                                      {}
func (plainStrategy) Validate(context.Context, runtime.Object) field.ErrorList         { return nil }
func (plainStrategy) WarningsOnCreate(context.Context, runtime.Object) []string        { return nil }
func (plainStrategy) WarningsOnUpdate(_ context.Context, _, _ runtime.Object) []string { return nil }
func (plainStrategy) ValidateUpdate(_ context.Context, _, _ runtime.Object) field.ErrorList {
	return nil
}

func (s plainStrategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	if status := statusOf(object); status.IsValid() {
		status.SetZero()
	}
}

func (s plainStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	// As internal types have none: otherwise a patch that changes nothing differs from the stored object.
	for _, one := range []runtime.Object{object, old} {
		one.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	status := statusOf(object)
	if !status.IsValid() {
		return
	}
	if !s.isStatus {
		status.Set(statusOf(old))
		return
	}
	made, before := reflect.ValueOf(object).Elem(), reflect.ValueOf(old).Elem()
	for i := range made.NumField() {
		switch made.Type().Field(i).Name {
		case "TypeMeta", "ObjectMeta", "Status":
		default:
			made.Field(i).Set(before.Field(i))
		}
	}
}

func (s plainStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	reset := "status"
	if s.isStatus {
		reset = "spec"
	}
	set := fieldpath.NewSet(fieldpath.MakePathOrDie(reset))
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, version := range s.kind.versions() {
		fields[fieldpath.APIVersion(version.String())] = set
	}
	return fields
}

func statusOf(object runtime.Object) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName("Status")
}

// statusREST serves the status of a resource.
type statusREST struct{ store *registry.Store }

func (r statusREST) New() runtime.Object { return r.store.New() }
func (r statusREST) Destroy()            {}

func (r statusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

func (r statusREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, info, create, update, false, options)
}

func (r statusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

func (r statusREST) ConvertToTable(ctx context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}

// newStores has upstream's generic store of a kind over a storage, and that of its status if it has one.
func newStores(scheme *runtime.Scheme, served kind, kept *keyValues) (map[string]rest.Storage, error) {
	version := schema.GroupVersion{Group: served.Group, Version: served.Version}
	made := func(name string) func() runtime.Object {
		return func() runtime.Object {
			object, err := scheme.New(version.WithKind(name))
			if err != nil {
				panic(err)
			}
			return object
		}
	}
	resource := schema.GroupResource{Group: served.Group, Resource: served.Resource}
	strategy := plainStrategy{scheme, served, false}
	store := &registry.Store{
		NewFunc:                   made(served.Kind),
		NewListFunc:               made(served.Kind + "List"),
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: schema.GroupResource{Group: served.Group, Resource: served.Kind},
		CreateStrategy:            strategy,
		UpdateStrategy:            strategy,
		DeleteStrategy:            strategy,
		TableConvertor:            rest.NewDefaultTableConvertor(resource),
	}
	hasStatus := statusOf(store.New()).IsValid()
	if hasStatus {
		store.ResetFieldsStrategy = strategy
	}
	config := &storagebackend.Config{Codec: codecAtRest(scheme, version)}
	options := generic.RESTOptions{
		StorageConfig:           config.ForResource(resource),
		Decorator:               kept.decorator(),
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          served.Resource,
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options}); err != nil {
		return nil, err
	}
	stores := map[string]rest.Storage{served.Resource: store}
	if hasStatus {
		status := *store
		ofStatus := plainStrategy{scheme, served, true}
		status.UpdateStrategy, status.ResetFieldsStrategy = ofStatus, ofStatus
		stores[served.Resource+"/status"] = statusREST{&status}
	}
	if isScalable(served) {
		stores[served.Resource+"/scale"] = newScale(store, served)
	}
	return stores, nil
}

// codecAtRest writes and reads the objects that a dry run does not store.
func codecAtRest(scheme *runtime.Scheme, version schema.GroupVersion) runtime.Codec {
	form := protobuf.NewSerializer(scheme, scheme)
	internal := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
	return serializer.NewCodecFactory(scheme).CodecForVersions(form, form, version, internal)
}
