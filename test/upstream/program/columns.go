package main

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// askColumns answers with the cells of one row, without the name. Some paths make upstream panic.
func askColumns(question json.RawMessage) (answer any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			answer, err = map[string]any{"panic": fmt.Sprint(reason)}, nil
		}
	}()
	var asked struct {
		Columns []apiextensionsv1.CustomResourceColumnDefinition `json:"columns"`
		// Object is decoded as objects are: integers stay integers.
		Object json.RawMessage `json:"object"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(asked.Object); err != nil {
		return nil, err
	}
	convertor, _ := tableconvertor.New(asked.Columns)
	table, err := convertor.ConvertToTable(context.Background(), object, nil)
	if err != nil {
		return map[string]any{"error": err.Error()}, nil
	}
	// As text: the other side reads numbers as doubles.
	cells, err := json.Marshal(table.Rows[0].Cells[1:])
	return map[string]any{"cells": string(cells)}, err
}
