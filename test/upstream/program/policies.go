package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	_ "unsafe" // for go:linkname

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

//go:linkname compileValidating k8s.io/apiserver/pkg/admission/plugin/policy/validating.compilePolicy
func compileValidating(*validating.Policy) validating.Validator

//go:linkname compileMutating k8s.io/apiserver/pkg/admission/plugin/policy/mutating.compilePolicy
func compileMutating(*mutating.Policy) mutating.PolicyEvaluator

// policyQuestion is a request and the policies about it.
type policyQuestion struct {
	Plugin     string            `json:"plugin"`
	Policies   []json.RawMessage `json:"policies"`
	Bindings   []json.RawMessage `json:"bindings"`
	Params     []json.RawMessage `json:"params"`
	Namespaces []json.RawMessage `json:"namespaces"`
	Authorizer authorizerRules   `json:"authorizer"`
	Request    struct {
		Operation   admission.Operation         `json:"operation"`
		Kind        metav1.GroupVersionKind     `json:"kind"`
		Resource    metav1.GroupVersionResource `json:"resource"`
		Subresource string                      `json:"subResource"`
		Name        string                      `json:"name"`
		Namespace   string                      `json:"namespace"`
		UserInfo    struct {
			Username string              `json:"username"`
			Groups   []string            `json:"groups"`
			Extra    map[string][]string `json:"extra"`
		} `json:"userInfo"`
		Object    json.RawMessage `json:"object"`
		OldObject json.RawMessage `json:"oldObject"`
	} `json:"request"`
}

type policyAnswer struct {
	Allowed          bool              `json:"allowed"`
	Status           json.RawMessage   `json:"status,omitempty"`
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Object           json.RawMessage   `json:"object,omitempty"`
	Reinvoked        *bool             `json:"reinvoked,omitempty"`
	Unchanged        bool              `json:"unchanged,omitempty"`
	Panics           string            `json:"panics,omitempty"`
}

// askPolicy admits a request, as the server's chain does.
func askPolicy(question json.RawMessage) (answer any, err error) {
	var asked policyQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	defer func() {
		if fault := recover(); fault != nil {
			answer, err = policyAnswer{Panics: fmt.Sprint(fault)}, nil
		}
	}()
	object, err := decoded(asked.Request.Object)
	if err != nil {
		return nil, err
	}
	old, err := decoded(asked.Request.OldObject)
	if err != nil {
		return nil, err
	}
	request := asked.Request
	attributes := &annotated{
		Attributes: admission.NewAttributesRecord(object, old, schema.GroupVersionKind(request.Kind), request.Namespace, request.Name,
			schema.GroupVersionResource(request.Resource), request.Subresource, request.Operation, nil, false,
			&user.DefaultInfo{Name: request.UserInfo.Username, Groups: request.UserInfo.Groups, Extra: request.UserInfo.Extra}),
		annotations: map[string]string{},
	}
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	var result policyAnswer
	if asked.Plugin == "mutating" {
		result, err = asked.admit(ctx, attributes)
	} else {
		result, err = asked.validate(ctx, attributes)
	}
	if err != nil {
		return nil, err
	}
	result.Warnings, result.AuditAnnotations = recorder.texts, attributes.annotations
	return result, nil
}

func (p *policyQuestion) validate(ctx context.Context, attributes admission.Attributes) (policyAnswer, error) {
	bindings, err := typed[admissionregistrationv1.ValidatingAdmissionPolicyBinding](p.Bindings)
	if err != nil {
		return policyAnswer{}, err
	}
	policies, err := typed[admissionregistrationv1.ValidatingAdmissionPolicy](p.Policies)
	if err != nil {
		return policyAnswer{}, err
	}
	hooks := []validating.PolicyHook{}
	for _, policy := range policies {
		hook := validating.PolicyHook{Policy: policy, Evaluator: compileValidating(policy)}
		for _, binding := range bindings {
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		if hook.ParamInformer, hook.ParamScope, hook.ConfigurationError, err = p.params(policy.Spec.ParamKind); err != nil {
			return policyAnswer{}, err
		}
		hooks = append(hooks, hook)
	}
	matcher, err := p.matcher()
	if err != nil {
		return policyAnswer{}, err
	}
	dispatcher := validating.NewDispatcher(p.Authorizer, generic.NewPolicyMatcher(matcher))
	return outcomeOf(dispatcher.Dispatch(ctx, attributes, objectInterfaces, hooks))
}

func (p *policyQuestion) admit(ctx context.Context, attributes admission.Attributes) (policyAnswer, error) {
	bindings, err := typed[admissionregistrationv1.MutatingAdmissionPolicyBinding](p.Bindings)
	if err != nil {
		return policyAnswer{}, err
	}
	policies, err := typed[admissionregistrationv1.MutatingAdmissionPolicy](p.Policies)
	if err != nil {
		return policyAnswer{}, err
	}
	hooks := []mutating.PolicyHook{}
	for _, policy := range policies {
		hook := mutating.PolicyHook{Policy: policy, Evaluator: compileMutating(policy)}
		for _, binding := range bindings {
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		if hook.ParamInformer, hook.ParamScope, hook.ConfigurationError, err = p.params(policy.Spec.ParamKind); err != nil {
			return policyAnswer{}, err
		}
		hooks = append(hooks, hook)
	}
	matcher, err := p.matcher()
	if err != nil {
		return policyAnswer{}, err
	}
	dispatcher := mutating.NewDispatcher(p.Authorizer, matcher, kindTypes{})
	before, err := contentOf(attributes.GetObject())
	if err != nil {
		return policyAnswer{}, err
	}
	fault := dispatcher.Dispatch(ctx, attributes, objectInterfaces, hooks)
	reinvoked := attributes.GetReinvocationContext().ShouldReinvoke()
	if fault == nil && reinvoked {
		attributes.GetReinvocationContext().SetIsReinvoke()
		fault = dispatcher.Dispatch(ctx, attributes, objectInterfaces, hooks)
	}
	answer, err := outcomeOf(fault)
	if err != nil || fault != nil {
		return answer, err
	}
	after, err := contentOf(attributes.GetObject())
	if err != nil {
		return policyAnswer{}, err
	}
	if !reinvoked && reflect.DeepEqual(before, after) {
		answer.Unchanged = true
		return answer, nil
	}
	answer.Object, answer.Reinvoked = after, &reinvoked
	return answer, nil
}

var objectInterfaces = admission.NewObjectInterfacesFromScheme(clientgoscheme.Scheme)

// decoded is an object of a known type without defaults, or an untyped one; nil for none.
func decoded(raw json.RawMessage) (runtime.Object, error) {
	if raw == nil {
		return nil, nil
	}
	untyped := &unstructured.Unstructured{}
	if err := untyped.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	object, err := clientgoscheme.Scheme.New(untyped.GroupVersionKind())
	if runtime.IsNotRegisteredError(err) {
		return untyped, nil
	}
	if err != nil {
		return nil, err
	}
	return object, json.Unmarshal(raw, object)
}

func typed[T any](raws []json.RawMessage) ([]*T, error) {
	objects := []*T{}
	for _, raw := range raws {
		object := new(T)
		if err := json.Unmarshal(raw, object); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// contentOf is an object without its kind.
func contentOf(object runtime.Object) (json.RawMessage, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	content := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	delete(content, "apiVersion")
	delete(content, "kind")
	return json.Marshal(content)
}

func outcomeOf(fault error) (policyAnswer, error) {
	if fault == nil {
		return policyAnswer{Allowed: true}, nil
	}
	var status apierrors.APIStatus
	if !errors.As(fault, &status) {
		return policyAnswer{}, fault
	}
	raw, err := json.Marshal(status.Status())
	return policyAnswer{Status: raw}, err
}

func (p *policyQuestion) matcher() (*matching.Matcher, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	namespaces, err := typed[corev1.Namespace](p.Namespaces)
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{}
	for _, namespace := range namespaces {
		if err := indexer.Add(namespace); err != nil {
			return nil, err
		}
		objects = append(objects, namespace)
	}
	return matching.NewMatcher(listersv1.NewNamespaceLister(indexer), fake.NewClientset(objects...)), nil
}

// paramInformer is a synchronised informer of the parameters of a kind.
type paramInformer struct {
	cache.SharedIndexInformer
	indexer  cache.Indexer
	resource schema.GroupResource
}

func (p paramInformer) HasSynced() bool                     { return true }
func (p paramInformer) Informer() cache.SharedIndexInformer { return p }
func (p paramInformer) Lister() cache.GenericLister {
	return cache.NewGenericLister(p.indexer, p.resource)
}

var paramKinds = map[string]struct {
	resource schema.GroupResource
	scope    meta.RESTScope
}{
	"v1/ConfigMap":            {schema.GroupResource{Resource: "configmaps"}, meta.RESTScopeNamespace},
	"rules.example/v1/Limit":  {schema.GroupResource{Group: "rules.example", Resource: "limits"}, meta.RESTScopeRoot},
	"rules.example/v1/Quotum": {schema.GroupResource{Group: "rules.example", Resource: "quota"}, meta.RESTScopeNamespace},
}

func (p *policyQuestion) params(kind *admissionregistrationv1.ParamKind) (informers.GenericInformer, meta.RESTScope, error, error) {
	if kind == nil {
		return nil, nil, nil, nil
	}
	known, ok := paramKinds[kind.APIVersion+"/"+kind.Kind]
	if !ok {
		return nil, nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)), nil
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, raw := range p.Params {
		param, err := decoded(raw)
		if err != nil {
			return nil, nil, nil, err
		}
		gvk := param.GetObjectKind().GroupVersionKind()
		if gvk.Kind != kind.Kind {
			continue
		}
		if err := indexer.Add(param); err != nil {
			return nil, nil, nil, err
		}
	}
	return paramInformer{indexer: indexer, resource: known.resource}, known.scope, nil, nil
}

// kindTypes types apply configurations by the kinds of client-go.
type kindTypes struct{}

var kindTypeConverter = applyconfigurations.NewTypeConverter(clientgoscheme.Scheme)

func (kindTypes) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter {
	return kindTypeConverter
}
func (kindTypes) Run(context.Context) {}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// annotated keeps the last value of each audit annotation.
type annotated struct {
	admission.Attributes
	annotations map[string]string
}

func (a *annotated) AddAnnotation(key, value string) error {
	a.annotations[key] = value
	return nil
}

func (a *annotated) AddAnnotationWithLevel(key, value string, _ auditinternal.Level) error {
	a.annotations[key] = value
	return nil
}

// authorizerRules decide by the first rule whose fields all equal those of the question.
type authorizerRules []map[string]string

func (a authorizerRules) Authorize(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	asked := map[string]string{
		"user": attributes.GetUser().GetName(), "verb": attributes.GetVerb(), "apiGroup": attributes.GetAPIGroup(),
		"resource": attributes.GetResource(), "subresource": attributes.GetSubresource(), "namespace": attributes.GetNamespace(),
		"name": attributes.GetName(), "path": attributes.GetPath(),
	}
	for _, rule := range a {
		if !fits(rule, asked) {
			continue
		}
		var err error
		if text, ok := rule["error"]; ok {
			err = errors.New(text)
		}
		return decisions[rule["decision"]], rule["reason"], err
	}
	return authorizer.DecisionNoOpinion, "fields " + fieldsText(attributes) + " labels " + labelsText(attributes), nil
}

// fieldsText has the requirements of a field selector, or nothing for one that cannot be parsed.
func fieldsText(attributes authorizer.Attributes) string {
	found, err := attributes.GetFieldSelector()
	if err != nil {
		return ""
	}
	texts := []string{}
	for _, one := range found {
		texts = append(texts, one.Field+string(one.Operator)+one.Value)
	}
	return strings.Join(texts, ",")
}

func labelsText(attributes authorizer.Attributes) string {
	found, err := attributes.GetLabelSelector()
	if err != nil {
		return ""
	}
	texts := []string{}
	for _, one := range found {
		texts = append(texts, one.String())
	}
	return strings.Join(texts, ",")
}

var decisions = map[string]authorizer.Decision{"allow": authorizer.DecisionAllow, "deny": authorizer.DecisionDeny, "noOpinion": authorizer.DecisionNoOpinion}

func fits(rule, asked map[string]string) bool {
	for name, value := range rule {
		if found, isField := asked[name]; isField && value != "" && found != value {
			return false
		}
	}
	return true
}
