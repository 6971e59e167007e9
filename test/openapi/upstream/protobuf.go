package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"
)

// document is one document in both of its forms.
type document struct {
	// Version is v2 or v3.
	Version  string `json:"version"`
	JSON     []byte `json:"json"`
	Protobuf []byte `json:"protobuf"`
}

// difference tells where the protobuf form says something else than upstream makes of the JSON form; empty: nowhere.
func (d document) difference() (string, error) {
	var sent, made proto.Message
	var err error
	if d.Version == "v2" {
		sent = &openapi_v2.Document{}
		made, err = openapi_v2.ParseDocument(d.JSON)
	} else {
		sent = &openapi_v3.Document{}
		made, err = openapi_v3.ParseDocument(d.JSON)
	}
	if err != nil {
		return "", err
	}
	if err := proto.Unmarshal(d.Protobuf, sent); err != nil {
		return "", err
	}
	ours, err := plain(sent)
	if err != nil {
		return "", err
	}
	theirs, err := plain(made)
	if err != nil {
		return "", err
	}
	return firstDifference("", ours, theirs), nil
}

func plain(message proto.Message) (any, error) {
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	var value any
	return value, json.Unmarshal(text, &value)
}

// firstDifference reads what is YAML text inside of a document: it can be spelled in several ways.
func firstDifference(path string, ours, theirs any) string {
	if reflect.DeepEqual(ours, theirs) {
		return ""
	}
	if ourMap, ok := ours.(map[string]any); ok {
		theirMap, _ := theirs.(map[string]any)
		for _, name := range names(ourMap, theirMap) {
			if name == "yaml" && sameYAML(ourMap[name], theirMap[name]) {
				continue
			}
			if found := firstDifference(path+"/"+name, ourMap[name], theirMap[name]); found != "" {
				return found
			}
		}
		return ""
	}
	ourList, isList := ours.([]any)
	theirList, areLists := theirs.([]any)
	if isList && areLists && len(ourList) == len(theirList) {
		for i := range ourList {
			if found := firstDifference(fmt.Sprintf("%s/%d", path, i), ourList[i], theirList[i]); found != "" {
				return found
			}
		}
		return ""
	}
	return fmt.Sprintf("%s: %.200v, upstream %.200v", path, ours, theirs)
}

func names(maps ...map[string]any) []string {
	seen := map[string]bool{}
	all := []string{}
	for _, one := range maps {
		for name := range one {
			if !seen[name] {
				all = append(all, name)
			}
			seen[name] = true
		}
	}
	return all
}

func sameYAML(ours, theirs any) bool {
	var values [2]any
	for i, text := range []any{ours, theirs} {
		written, ok := text.(string)
		if !ok || yaml.Unmarshal([]byte(written), &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
