package main

import (
	"context"
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	mergetypes "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// scaleREST serves the scale of workloads. That of kube-apiserver is in no module, but the handler of its managers is.
type scaleREST struct {
	store    *registry.Store
	resource schema.GroupResource
	version  schema.GroupVersion
	paths    managedfields.ResourcePathMappings
}

func newScale(store *registry.Store, served kind) scaleREST {
	paths := managedfields.ResourcePathMappings{}
	for _, version := range served.versions() {
		paths[version.String()] = fieldpath.MakePathOrDie("spec", "replicas")
	}
	resource := schema.GroupResource{Group: served.Group, Resource: served.Resource + "/scale"}
	return scaleREST{store, resource, served.versions()[0], paths}
}

func isScalable(served kind) bool {
	return served.Group == "apps" && (served.Kind == "Deployment" || served.Kind == "ReplicaSet" || served.Kind == "StatefulSet")
}

func (scaleREST) New() runtime.Object { return &autoscalingv1.Scale{} }
func (scaleREST) Destroy()            {}

func (scaleREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
}

func (r scaleREST) ConvertToTable(ctx context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}

func (r scaleREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	workload, err := r.store.Get(ctx, name, options)
	if err != nil {
		return nil, errors.NewNotFound(r.resource, name)
	}
	return shownScale(workload)
}

func (r scaleREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	checkCreated := func(ctx context.Context, workload runtime.Object) error {
		scale, err := scaleOf(workload)
		if err != nil {
			return err
		}
		return create(ctx, scale)
	}
	checkUpdated := func(ctx context.Context, workload, old runtime.Object) error {
		scale, err := scaleOf(workload)
		if err != nil {
			return err
		}
		before, err := scaleOf(old)
		if err != nil {
			return err
		}
		return update(ctx, scale, before)
	}
	workload, _, err := r.store.Update(ctx, name, scaledWorkload{r, name, info}, checkCreated, checkUpdated, false, options)
	if err != nil {
		return nil, false, err
	}
	scale, err := shownScale(workload)
	return scale, false, err
}

func fieldOf(workload runtime.Object, part, name string) reflect.Value {
	return reflect.ValueOf(workload).Elem().FieldByName(part).FieldByName(name)
}

// replicasOf dereferences the replicas of a specification; the internal types have no pointers there.
func replicasOf(workload runtime.Object) int32 {
	replicas := fieldOf(workload, "Spec", "Replicas").Interface().(*int32)
	if replicas == nil {
		return 0
	}
	return *replicas
}

func scaleOf(workload runtime.Object) (*autoscalingv1.Scale, error) {
	selector, err := metav1.LabelSelectorAsSelector(fieldOf(workload, "Spec", "Selector").Interface().(*metav1.LabelSelector))
	if err != nil {
		return nil, err
	}
	meta := accessor(workload)
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: meta.GetName(), Namespace: meta.GetNamespace(), UID: meta.GetUID(),
			ResourceVersion: meta.GetResourceVersion(), CreationTimestamp: meta.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: replicasOf(workload)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(fieldOf(workload, "Status", "Replicas").Int()), Selector: selector.String()},
	}, nil
}

func shownScale(workload runtime.Object) (runtime.Object, error) {
	scale, err := scaleOf(workload)
	if err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	return scale, nil
}

// scaledWorkload makes a workload of an update of its scale.
type scaledWorkload struct {
	scaleREST
	name string
	info rest.UpdatedObjectInfo
}

func (s scaledWorkload) Preconditions() *metav1.Preconditions { return s.info.Preconditions() }

func (s scaledWorkload) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	workload := old.DeepCopyObject()
	meta := accessor(workload)
	if meta.GetResourceVersion() == "" {
		return nil, errors.NewNotFound(s.resource, s.name)
	}
	handler := managedfields.NewScaleHandler(meta.GetManagedFields(), s.version, s.paths)
	before, err := scaleOf(workload)
	if err != nil {
		return nil, err
	}
	if before.ManagedFields, err = handler.ToSubresource(); err != nil {
		return nil, err
	}
	updated, err := s.info.UpdatedObject(ctx, before)
	if err != nil {
		return nil, err
	}
	scale := updated.(*autoscalingv1.Scale)
	if faults := scaleFaults(scale); len(faults) > 0 {
		return nil, errors.NewInvalid(schema.GroupKind{Group: "autoscaling", Kind: "Scale"}, meta.GetName(), faults)
	}
	if scale.UID != "" && scale.UID != meta.GetUID() {
		fault := fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", scale.UID, meta.GetUID())
		return nil, errors.NewConflict(s.resource, meta.GetName(), fault)
	}
	fieldOf(workload, "Spec", "Replicas").Set(reflect.ValueOf(&scale.Spec.Replicas))
	meta.SetResourceVersion(scale.ResourceVersion)
	entries, err := handler.ToParent(scale.ManagedFields)
	if err != nil {
		return nil, err
	}
	meta.SetManagedFields(entries)
	return workload, nil
}

func scaleFaults(scale *autoscalingv1.Scale) field.ErrorList {
	faults := validation.ValidateObjectMeta(&scale.ObjectMeta, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	return append(faults, validation.ValidateNonnegativeField(int64(scale.Spec.Replicas), field.NewPath("spec", "replicas"))...)
}

// scaleTypes adds the type of scales, which client-go's lack, to those of a converter.
type scaleTypes struct {
	managedfields.TypeConverter
	scale mergetypes.ParseableType
}

// scaleSchema leaves metadata open: an object takes nothing but the managers of replicas from its scale.
const scaleSchema = `types:
- name: scale
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {namedType: __untyped_deduced_}}}}
    - {name: spec, type: {map: {fields: [{name: replicas, type: {scalar: numeric}}]}}, default: {}}
    - {name: status, type: {namedType: status}, default: {}}
- name: status
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}, default: 0}
    - {name: selector, type: {scalar: string}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}
`

func newTypes(scheme *runtime.Scheme) (managedfields.TypeConverter, error) {
	parser, err := mergetypes.NewParser(scaleSchema)
	if err != nil {
		return nil, err
	}
	return scaleTypes{applyconfigurations.NewTypeConverter(scheme), parser.Type("scale")}, nil
}

func (s scaleTypes) ObjectToTyped(object runtime.Object, options ...mergetypes.ValidationOptions) (*mergetypes.TypedValue, error) {
	if object.GetObjectKind().GroupVersionKind() != autoscalingv1.SchemeGroupVersion.WithKind("Scale") {
		return s.TypeConverter.ObjectToTyped(object, options...)
	}
	if open, ok := object.(*unstructured.Unstructured); ok {
		return s.scale.FromUnstructured(open.Object, options...)
	}
	return s.scale.FromStructured(object, options...)
}
