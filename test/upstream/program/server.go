package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"

	"github.com/emicklei/go-restful/v3"
	"github.com/google/uuid"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/rest"
	featuregate "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// kind is a kind to serve. Its external type is its internal one too: neither defaults nor validation are in the modules.
type kind struct {
	Group      string `json:"group"`
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	Resource   string `json:"resource"`
	Namespaced bool   `json:"namespaced"`
	// Others are further versions, separated by commas: those of another group with it. They convert by their JSON unless
	// addConversions has their conversion.
	Others string `json:"others"`
}

func (k kind) versions() []schema.GroupVersion {
	versions := []schema.GroupVersion{{Group: k.Group, Version: k.Version}}
	if k.Others == "" {
		return versions
	}
	for _, other := range strings.Split(k.Others, ",") {
		group, version, found := strings.Cut(other, "/")
		if !found {
			group, version = k.Group, other
		}
		versions = append(versions, schema.GroupVersion{Group: group, Version: version})
	}
	return versions
}

// serverQuestion is a series of requests to a new server.
type serverQuestion struct {
	Kind kind `json:"kind"`
	// Stored asks for upstream's generic store below the handlers.
	Stored bool `json:"stored"`
	// Cbor switches the gate CBORServingAndStorage.
	Cbor     bool          `json:"cbor"`
	Requests []sentRequest `json:"requests"`
}

type sentRequest struct {
	Method      string `json:"method"`
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
	Accept      string `json:"accept"`
	Body        []byte `json:"body"`
}

type serverAnswer struct {
	Status      int      `json:"status"`
	ContentType string   `json:"contentType"`
	Warnings    []string `json:"warnings"`
	Body        []byte   `json:"body"`
}

// askServer answers each request until upstream panics.
func askServer(question json.RawMessage) (any, error) {
	var asked serverQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	key := serverKey{asked.Kind, asked.Stored, asked.Cbor}
	if err := switchCbor(asked.Cbor); err != nil {
		return nil, err
	}
	served, ok := servers[key]
	if !ok {
		made, err := newServer(key)
		if err != nil {
			return nil, err
		}
		served = made
		servers[key] = made
	}
	served.storage.clear()
	uuid.SetRand(&countingBytes{})
	answers := []serverAnswer{}
	for _, one := range asked.Requests {
		answer, ok := answerTo(served.handler, one)
		if !ok {
			break
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// switchCbor sets the gate CBORServingAndStorage.
func switchCbor(on bool) error {
	return featuregate.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.CBORServingAndStorage): on})
}

// answerTo is false if upstream panics.
func answerTo(handler http.Handler, one sentRequest) (serverAnswer, bool) {
	sent := httptest.NewRequest(one.Method, one.URL, bytes.NewReader(one.Body))
	sent.Header.Set("User-Agent", "soak/1")
	// Otherwise the server makes one, and the uids of objects go on behind it.
	sent.Header.Set("Audit-ID", "0")
	if one.ContentType != "" {
		sent.Header.Set("Content-Type", one.ContentType)
	}
	if one.Accept != "" {
		sent.Header.Set("Accept", one.Accept)
	}
	sent = sent.WithContext(request.WithUser(sent.Context(), &user.DefaultInfo{Name: "u"}))
	response := httptest.NewRecorder()
	if panicked(handler, response, sent) {
		return serverAnswer{}, false
	}
	return serverAnswer{
		Status:      response.Code,
		ContentType: response.Header().Get("Content-Type"),
		Warnings:    append([]string{}, response.Header()["Warning"]...),
		Body:        legible(response),
	}, true
}

// legible is the body of a response, that of CBOR in JSON: its maps have no order.
func legible(response *httptest.ResponseRecorder) []byte {
	if response.Header().Get("Content-Type") != runtime.ContentTypeCBOR {
		return response.Body.Bytes()
	}
	var value any
	if err := direct.Unmarshal(response.Body.Bytes(), &value); err != nil {
		return []byte(err.Error())
	}
	body := &bytes.Buffer{}
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte(err.Error())
	}
	return body.Bytes()
}

func panicked(handler http.Handler, response http.ResponseWriter, sent *http.Request) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	handler.ServeHTTP(response, sent)
	return false
}

// server is upstream's handlers in front of a storage.
type server struct {
	handler http.Handler
	storage interface{ clear() }
}

type serverKey struct {
	kind   kind
	stored bool
	cbor   bool
}

var servers = map[serverKey]server{}

// countingBytes are those of uids that count up.
type countingBytes struct{ read byte }

func (c *countingBytes) Read(into []byte) (int, error) {
	c.read++
	clear(into)
	into[len(into)-1] = c.read
	return len(into), nil
}

// newServer has upstream's handlers in front of a storage in memory.
func newServer(key serverKey) (server, error) {
	served := key.kind
	scheme, err := newScheme(served)
	if err != nil {
		return server{}, err
	}
	forms := []serializer.CodecFactoryOptionsMutator{}
	if key.cbor {
		forms = append(forms, serializer.WithSerializer(cbor.NewSerializerInfo))
	}
	storages, cleared, err := newStorages(scheme, key)
	if err != nil {
		return server{}, err
	}
	codecs := serializer.NewCodecFactory(scheme, forms...)
	types, err := newTypes(scheme)
	if err != nil {
		return server{}, err
	}
	groups := []*endpoints.APIGroupVersion{}
	for _, version := range served.versions() {
		installed := installedTypes{types, installedWith(version, served.versions())}
		groups = append(groups, groupVersion(scheme, version, codecs, installed, storages))
	}
	handler, err := installed(groups...)
	return server{handler, cleared}, err
}

func groupVersion(scheme *runtime.Scheme, version schema.GroupVersion, codecs serializer.CodecFactory, types managedfields.TypeConverter, storages map[string]rest.Storage) *endpoints.APIGroupVersion {
	root := "/apis"
	if version.Group == "" {
		root = "/api"
	}
	return &endpoints.APIGroupVersion{
		Storage:                    storages,
		Root:                       root,
		GroupVersion:               version,
		OptionsExternalVersion:     &schema.GroupVersion{Version: "v1"},
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
		TypeConverter:              types,
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(),
		Authorizer:                 authorizerfactory.NewAlwaysAllowAuthorizer(),
		MaxRequestBodyBytes:        3 << 20,
	}
}

// installed serves the resources of some versions.
func installed(groups ...*endpoints.APIGroupVersion) (http.Handler, error) {
	container := restful.NewContainer()
	container.Router(restful.CurlyRouter{})
	container.ServiceErrorHandler(func(fault restful.ServiceError, request *restful.Request, response *restful.Response) {
		err := apierrors.NewGenericServerResponse(fault.Code, "", schema.GroupResource{}, "", fault.Message, 0, false)
		responsewriters.ErrorNegotiated(err, groups[0].Serializer, schema.GroupVersion{}, response, request.Request)
	})
	for _, group := range groups {
		if _, _, err := group.InstallREST(container); err != nil {
			return nil, err
		}
	}
	return filtered(container), nil
}

// filtered has what handlers expect in the context of a request.
func filtered(handler http.Handler) http.Handler {
	resolver := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	return filters.WithAuditInit(filters.WithRequestInfo(filters.WithWarningRecorder(handler), resolver))
}

func newStorages(scheme *runtime.Scheme, key serverKey) (map[string]rest.Storage, interface{ clear() }, error) {
	if key.stored {
		kept := newKeyValues()
		stores, err := newStores(scheme, key.kind, kept)
		return stores, kept, err
	}
	storage := newMemory(scheme, key.kind)
	return map[string]rest.Storage{key.kind.Resource: storage}, storage, nil
}

func newScheme(served kind) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := addConversions(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if isScalable(served) {
		scheme.AddKnownTypes(schema.GroupVersion{Group: autoscalingv1.GroupName, Version: runtime.APIVersionInternal}, &autoscalingv1.Scale{})
	}
	versions := served.versions()
	for _, name := range []string{served.Kind, served.Kind + "List"} {
		hub, err := scheme.New(versions[0].WithKind(name))
		if err != nil {
			return nil, err
		}
		internal := schema.GroupVersion{Group: served.Group, Version: runtime.APIVersionInternal}
		scheme.AddKnownTypeWithName(internal.WithKind(name), hub)
		for _, version := range versions[1:] {
			other, err := scheme.New(version.WithKind(name))
			if err != nil {
				return nil, err
			}
			if version.Group != served.Group {
				scheme.AddKnownTypeWithName(schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}.WithKind(name), hub)
			}
			if hasConversion(version, name) {
				continue
			}
			convert := byJSON
			if hasConversion(version, served.Kind) {
				convert = byItems
			}
			if err := errors.Join(scheme.AddConversionFunc(hub, other, convert), scheme.AddConversionFunc(other, hub, convert)); err != nil {
				return nil, err
			}
		}
	}
	return scheme, nil
}

// byItems converts lists of objects that have conversions.
func byItems(from, to any, scope conversion.Scope) error {
	source, target := reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem()
	target.FieldByName("ListMeta").Set(source.FieldByName("ListMeta"))
	items := source.FieldByName("Items")
	if items.IsNil() {
		return nil
	}
	converted := target.FieldByName("Items")
	converted.Set(reflect.MakeSlice(converted.Type(), items.Len(), items.Len()))
	for i := range items.Len() {
		if err := scope.Convert(items.Index(i).Addr().Interface(), converted.Index(i).Addr().Interface()); err != nil {
			return err
		}
	}
	return nil
}

// byJSON converts objects of versions with the same fields.
func byJSON(from, to any, _ conversion.Scope) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return err
	}
	// Written conversions copy metadata as they are: an empty list of managers stays one.
	source, isObject := from.(metav1.ObjectMetaAccessor)
	if isObject {
		to.(metav1.ObjectMetaAccessor).GetObjectMeta().SetManagedFields(source.GetObjectMeta().GetManagedFields())
	}
	return nil
}
