package servers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var (
	internal = schema.GroupVersion{Version: runtime.APIVersionInternal}
	version  = corev1.SchemeGroupVersion
)

// NewScheme has the types of client-go. The external types of the served kinds are their internal ones too.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, version)
	scheme.AddKnownTypes(internal, &corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Namespace{}, &corev1.NamespaceList{})
	return scheme, nil
}

// NewCodecs has the options of kube-apiserver's.
func NewCodecs(scheme *runtime.Scheme) serializer.CodecFactory {
	return serializer.NewCodecFactory(scheme, serializer.WithStreamingCollectionEncodingToJSON(), serializer.WithStreamingCollectionEncodingToProtobuf())
}

// AtRest is the codec of objects in etcd.
func AtRest(scheme *runtime.Scheme, codecs serializer.CodecFactory) runtime.Codec {
	form := protobuf.NewSerializer(scheme, scheme)
	return codecs.CodecForVersions(form, form, version, internal)
}

// InstallConfigMaps serves ConfigMaps and namespaces.
func InstallConfigMaps(server *genericapiserver.GenericAPIServer, scheme *runtime.Scheme, codecs serializer.CodecFactory, stores generic.RESTOptionsGetter) error {
	configMaps, err := newStore(scheme, stores, "configmaps", true, &corev1.ConfigMap{}, &corev1.ConfigMapList{})
	if err != nil {
		return err
	}
	namespaces, err := newStore(scheme, stores, "namespaces", false, &corev1.Namespace{}, &corev1.NamespaceList{})
	if err != nil {
		return err
	}
	served := endpoints.APIGroupVersion{
		Storage:                    map[string]rest.Storage{"configmaps": configMaps, "namespaces": namespaces},
		Root:                       "/api",
		GroupVersion:               version,
		OptionsExternalVersion:     &version,
		MetaGroupVersion:           &schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"},
		Serializer:                 codecs,
		ParameterCodec:             runtime.NewParameterCodec(scheme),
		Typer:                      scheme,
		Creater:                    scheme,
		Convertor:                  scheme,
		ConvertabilityChecker:      scheme,
		UnsafeConvertor:            runtime.UnsafeObjectConvertor(scheme),
		Defaulter:                  scheme,
		Namer:                      meta.NewAccessor(),
		TypeConverter:              applyconfigurations.NewTypeConverter(scheme),
		EquivalentResourceRegistry: server.EquivalentResourceRegistry,
		Authorizer:                 server.Authorizer,
		MinRequestTimeout:          30 * time.Minute,
		MaxRequestBodyBytes:        3 << 20,
	}
	_, _, err = served.InstallREST(server.Handler.GoRestfulContainer)
	return err
}

func newStore(scheme *runtime.Scheme, options generic.RESTOptionsGetter, resource string, namespaced bool, object, list runtime.Object) (*registry.Store, error) {
	of := schema.GroupResource{Resource: resource}
	strategy := strategy{scheme, names.SimpleNameGenerator, namespaced}
	store := &registry.Store{
		NewFunc:                   object.DeepCopyObject,
		NewListFunc:               list.DeepCopyObject,
		DefaultQualifiedResource:  of,
		SingularQualifiedResource: of,
		CreateStrategy:            strategy,
		UpdateStrategy:            strategy,
		DeleteStrategy:            strategy,
		TableConvertor:            rest.NewDefaultTableConvertor(of),
	}
	return store, store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options})
}

// strategy accepts everything: upstream's validation is in no module.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	namespaced bool
}

func (s strategy) NamespaceScoped() bool                                               { return s.namespaced }
func (strategy) AllowCreateOnUpdate() bool                                             { return false }
func (strategy) AllowUnconditionalUpdate() bool                                        { return true }
func (strategy) Canonicalize(runtime.Object)                                           {}
func (strategy) PrepareForCreate(context.Context, runtime.Object)                      {}
func (strategy) PrepareForUpdate(context.Context, runtime.Object, runtime.Object)      {}
func (strategy) Validate(context.Context, runtime.Object) field.ErrorList              { return nil }
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string             { return nil }
func (strategy) WarningsOnUpdate(_ context.Context, _, _ runtime.Object) []string      { return nil }
func (strategy) ValidateUpdate(_ context.Context, _, _ runtime.Object) field.ErrorList { return nil }
