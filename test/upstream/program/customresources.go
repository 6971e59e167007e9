package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/recognizer"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	namer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	featuregate "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// openAPI has the models of definitions, and of what they have in common with custom resources.
var openAPI = sync.OnceValues(func() (map[string]*spec.Schema, error) {
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	config := genericapiserver.DefaultOpenAPIV3Config(definitions, namer.NewDefinitionNamer(apiserver.Scheme))
	return builder3.BuildOpenAPIDefinitionsForResources(config, util.GetCanonicalTypeName(&apiextensionsv1.CustomResourceDefinition{}))
})

// customResourcesQuestion is a series of requests to a new server of definitions and custom resources.
type customResourcesQuestion struct {
	// Cbor switches the gate CBORServingAndStorage.
	Cbor     bool          `json:"cbor"`
	Requests []sentRequest `json:"requests"`
}

// askCustomResources answers each request. An accepted definition is established at once.
func askCustomResources(question json.RawMessage) (any, error) {
	var asked customResourcesQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	if err := switchCbor(asked.Cbor); err != nil {
		return nil, err
	}
	server, err := newDefinitionServer()
	if err != nil {
		return nil, err
	}
	answers := []serverAnswer{}
	for _, one := range asked.Requests {
		handler := server.definitions
		if !strings.HasPrefix(one.URL, "/apis/apiextensions.k8s.io/") {
			if handler, err = server.customResources(); err != nil {
				return nil, err
			}
		}
		answer, ok := answerTo(handler, one)
		if !ok {
			break
		}
		answers = append(answers, answer)
		if err := server.establish(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

type definitionServer struct {
	definitions http.Handler
	store       *keyValues
	// served and servedBy are the definitions that were served last, and their handler: it compiles large schemas for seconds.
	served   string
	servedBy http.Handler
}

// storedBy makes the options of a registry whose objects have keys below a prefix.
type storedBy struct {
	store  *keyValues
	codec  runtime.Codec
	prefix string
}

func (s storedBy) GetRESTOptions(schema.GroupResource, runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.ConfigForResource{Config: storagebackend.Config{Codec: s.codec}}
	return generic.RESTOptions{StorageConfig: &config, Decorator: s.store.decorator(), ResourcePrefix: s.prefix}, nil
}

const definitionKeys = "/definitions/"

var definitionCodec = apiserver.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion, apiextensionsv1.SchemeGroupVersion)

func newDefinitionServer() (*definitionServer, error) {
	store := newKeyValues()
	stored, err := customresourcedefinition.NewREST(apiserver.Scheme, storedBy{store, definitionCodec, strings.Trim(definitionKeys, "/")})
	if err != nil {
		return nil, err
	}
	models, err := openAPI()
	if err != nil {
		return nil, err
	}
	definitionTypes, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, err
	}
	group := endpoints.APIGroupVersion{
		Storage:                    map[string]rest.Storage{"customresourcedefinitions": stored},
		Root:                       "/apis",
		GroupVersion:               apiextensionsv1.SchemeGroupVersion,
		OptionsExternalVersion:     &schema.GroupVersion{Version: "v1"},
		MetaGroupVersion:           &schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"},
		Serializer:                 apiserver.Codecs,
		ParameterCodec:             metav1.ParameterCodec,
		Typer:                      apiserver.Scheme,
		Creater:                    apiserver.Scheme,
		Convertor:                  apiserver.Scheme,
		ConvertabilityChecker:      apiserver.Scheme,
		UnsafeConvertor:            runtime.UnsafeObjectConvertor(apiserver.Scheme),
		Defaulter:                  apiserver.Scheme,
		Namer:                      meta.NewAccessor(),
		TypeConverter:              definitionTypes,
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(),
		Authorizer:                 authorizerfactory.NewAlwaysAllowAuthorizer(),
		MaxRequestBodyBytes:        3 << 20,
	}
	handler, err := installed(&group)
	if err != nil {
		return nil, err
	}
	return &definitionServer{definitions: handler, store: store}, nil
}

// establish does the work of upstream's controllers.
func (d *definitionServer) establish() error {
	for key, stored := range d.store.records {
		if !strings.HasPrefix(key, definitionKeys) {
			continue
		}
		definition := &apiextensions.CustomResourceDefinition{}
		if _, _, err := definitionCodec.Decode(stored.data, nil, definition); err != nil {
			return err
		}
		definition.Status.AcceptedNames = definition.Spec.Names
		definition.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{
			{Type: apiextensions.NamesAccepted, Status: apiextensions.ConditionTrue},
			{Type: apiextensions.Established, Status: apiextensions.ConditionTrue},
		}
		data, err := runtime.Encode(definitionCodec, definition)
		if err != nil {
			return err
		}
		d.store.records[key] = record{data, stored.revision}
	}
	return nil
}

// customResources serves the definitions that are stored now.
func (d *definitionServer) customResources() (http.Handler, error) {
	if stored := d.storedDefinitions(); d.servedBy == nil || d.served != stored {
		handler, err := d.newCustomResources()
		if err != nil {
			return nil, err
		}
		d.served, d.servedBy = stored, handler
	}
	return d.servedBy, nil
}

func (d *definitionServer) storedDefinitions() string {
	var stored []string
	for key, one := range d.store.records {
		if strings.HasPrefix(key, definitionKeys) {
			stored = append(stored, string(one.data))
		}
	}
	slices.Sort(stored)
	return strings.Join(stored, "")
}

func (d *definitionServer) newCustomResources() (http.Handler, error) {
	informer := externalversions.NewSharedInformerFactory(nil, 0).Apiextensions().V1().CustomResourceDefinitions()
	for key, stored := range d.store.records {
		if !strings.HasPrefix(key, definitionKeys) {
			continue
		}
		internal, definition := &apiextensions.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
		if _, _, err := definitionCodec.Decode(stored.data, nil, internal); err != nil {
			return nil, err
		}
		if err := apiserver.Scheme.Convert(internal, definition, nil); err != nil {
			return nil, err
		}
		if err := informer.Informer().GetIndexer().Add(definition); err != nil {
			return nil, err
		}
	}
	models, err := openAPI()
	if err != nil {
		return nil, err
	}
	options := storedBy{d.store, codecOfResources(), "resources"}
	handler, err := apiserver.NewCustomResourceDefinitionHandler(nil, nil, informer, http.NotFoundHandler(), options, nil, nil,
		webhook.NewDefaultServiceResolver(), nil, 1, authorizerfactory.NewAlwaysAllowAuthorizer(), 0, 0, models, 3<<20)
	if err != nil {
		return nil, err
	}
	return filtered(handler), nil
}

// codecOfResources writes and reads custom resources at rest as NewCRDRESTOptionsGetter has it.
func codecOfResources() runtime.Codec {
	inCbor := cbor.NewSerializer(unstructuredscheme.NewUnstructuredCreator(), unstructuredscheme.NewUnstructuredObjectTyper())
	var encoder runtime.Encoder = unstructured.UnstructuredJSONScheme
	if featuregate.DefaultFeatureGate.Enabled(features.CBORServingAndStorage) {
		encoder = inCbor
	}
	return runtime.NewCodec(encoder, recognizer.NewDecoder(inCbor, unstructured.UnstructuredJSONScheme))
}
