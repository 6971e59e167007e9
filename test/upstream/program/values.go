package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	apiserversharding "k8s.io/apiserver/pkg/sharding"
)

type valueAnswer struct {
	// Text is the canonical form of a valid text.
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// shardedObjects are matched with each shard selector.
const shardedObjects = 20

// parsers return the canonical form of a text, by type.
var parsers = map[string]func(string) (string, error){
	"quantity": func(text string) (string, error) {
		quantity, err := resource.ParseQuantity(text)
		return quantity.String(), err
	},
	"duration": func(text string) (string, error) {
		duration, err := time.ParseDuration(text)
		return duration.String(), err
	},
	"labelSelector": func(text string) (string, error) {
		selector, err := labels.Parse(text)
		if err != nil {
			return "", err
		}
		return selector.String(), nil
	},
	"shardSelector": func(text string) (string, error) {
		selector, err := apiserversharding.Parse(text)
		if err != nil {
			return "", err
		}
		canonical := selector.String()
		for i := range shardedObjects {
			object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				UID:       types.UID(fmt.Sprintf("uid-%d-é", i)),
				Namespace: fmt.Sprintf("ns-%d", i),
			}}
			matches, err := selector.Matches(object)
			if err != nil {
				return "", err
			}
			canonical += fmt.Sprintf(" %v", matches)
		}
		return canonical, nil
	},
	"fieldSelector": func(text string) (string, error) {
		selector, err := fields.ParseSelector(text)
		if err != nil {
			return "", err
		}
		return selector.String(), nil
	},
}

func askValue(question json.RawMessage) (any, error) {
	var asked struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	parse, ok := parsers[asked.Type]
	if !ok {
		return nil, errors.New("no such type")
	}
	text, err := parse(asked.Text)
	if err != nil {
		return valueAnswer{Error: err.Error()}, nil
	}
	return valueAnswer{Text: text}, nil
}

var requestInfos = &request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

func askRequestInfo(question json.RawMessage) (any, error) {
	var asked struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	target, err := url.ParseRequestURI(asked.URL)
	if err != nil {
		return nil, err
	}
	info, err := requestInfos.NewRequestInfo(&http.Request{Method: asked.Method, URL: target})
	if err != nil {
		return map[string]string{"error": err.Error()}, nil
	}
	return info, nil
}
