package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/proxy"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
	rbacvalidation "k8s.io/component-helpers/auth/rbac/validation"
	"k8s.io/component-helpers/resource"
	devicecel "k8s.io/dynamic-resource-allocation/cel"
)

// rules answer with what a rule of a module says about a value.
var rules = map[string]func(json.RawMessage) (any, error){
	"objectMeta": rule(func(asked struct {
		Meta       metav1.ObjectMeta
		Namespaced bool
	}) any {
		return texts(validation.ValidateObjectMeta(&asked.Meta, asked.Namespaced, validation.NameIsDNSSubdomain, field.NewPath("metadata")))
	}),
	"objectMetaUpdate": rule(func(asked struct{ Meta, Old metav1.ObjectMeta }) any {
		return texts(validation.ValidateObjectMetaUpdate(&asked.Meta, &asked.Old, field.NewPath("metadata")))
	}),
	"labelSelector": rule(askLabelSelector),
	"conditions": rule(func(asked struct{ Conditions []metav1.Condition }) any {
		return texts(metav1validation.ValidateConditions(asked.Conditions, field.NewPath("status", "conditions")))
	}),
	"deleteOptions": rule(func(asked struct{ Options metav1.DeleteOptions }) any {
		return texts(metav1validation.ValidateDeleteOptions(&asked.Options))
	}),
	"covers": rule(func(asked struct{ Owners, Granted []rbacv1.PolicyRule }) any {
		_, missing := rbacvalidation.Covers(asked.Owners, asked.Granted)
		return missing
	}),
	"podAmounts": rule(func(asked struct{ Pod v1.Pod }) any {
		options := resource.PodResourcesOptions{UseStatusResources: true}
		return []any{resource.PodRequests(&asked.Pod, options), resource.PodLimits(&asked.Pod, options)}
	}),
	"deviceSelector": rule(func(asked struct {
		Expression                             string
		ConsumableCapacity, ListTypeAttributes bool
	}) any {
		features := devicecel.Features{EnableConsumableCapacity: asked.ConsumableCapacity, EnableListTypeAttributes: asked.ListTypeAttributes}
		kind := environment.NewExpressions
		result := devicecel.GetCompiler(features).CompileCELExpression(asked.Expression, devicecel.Options{EnvType: &kind})
		if result.Error != nil {
			return result.Error.Detail
		}
		return strconv.FormatUint(result.MaxCost, 10)
	}),
	"link":        rule(askLink),
	"token":       rule(askToken),
	"accessMatch": rule(askAccessMatch),

	"kubeVersions":  rule(askKubeVersions),
	"statusError":   rule(askStatusError),
	"requestHeader": rule(askRequestHeader),
	"manifestFiles": rule(askManifestFiles),
	"logLine":       rule(askLogLine),
	"keyPair":       rule(askKeyPair),
	"serverNames":   rule(askServerNames),
}

func rule[T any](answer func(T) any) func(json.RawMessage) (any, error) {
	return func(question json.RawMessage) (any, error) {
		var asked T
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		return map[string]any{"answer": answer(asked)}, nil
	}
}

// texts are sorted: Go visits the members of a map in any order.
func texts(list field.ErrorList) []string {
	all := []string{}
	for _, one := range list {
		all = append(all, one.Error())
	}
	sort.Strings(all)
	return all
}

func askLabelSelector(asked struct {
	Selector metav1.LabelSelector
	Labels   []labels.Set
}) any {
	options := metav1validation.LabelSelectorValidationOptions{}
	if found := texts(metav1validation.ValidateLabelSelector(&asked.Selector, options, field.NewPath("selector"))); len(found) > 0 {
		return found
	}
	selector, err := metav1.LabelSelectorAsSelector(&asked.Selector)
	if err != nil {
		return err.Error()
	}
	matches := []any{selector.String()}
	for _, set := range asked.Labels {
		matches = append(matches, selector.Matches(set))
	}
	return matches
}

// page is a backend that answers with a redirect or a page.
type page struct{ location, text string }

func (p page) RoundTrip(request *http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"text/html"}}
	if p.location != "" {
		header.Set("Location", p.location)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(p.text)), Request: request}, nil
}

func askLink(asked struct{ Scheme, Host, PathPrepend, RequestHost, Location, Page string }) any {
	source := &url.URL{Scheme: "http", Host: "back:80", Path: "/a"}
	transport := &proxy.Transport{Scheme: asked.Scheme, Host: asked.Host, PathPrepend: asked.PathPrepend, RoundTripper: page{asked.Location, asked.Page}}
	response, err := transport.RoundTrip(&http.Request{Method: http.MethodGet, URL: source, Host: asked.RequestHost, Header: http.Header{}})
	if err != nil {
		return err.Error()
	}
	if asked.Location != "" {
		return response.Header.Get("Location")
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

func askRule(question json.RawMessage) (answer any, err error) {
	var asked struct {
		Rule string `json:"rule"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	answerTo, ok := rules[asked.Rule]
	if !ok {
		return nil, errors.New("no such rule")
	}
	defer func() {
		if fault := recover(); fault != nil {
			answer = map[string]any{"panics": fmt.Sprint(fault)}
		}
	}()
	return answerTo(question)
}
