// Command storagecodec does with the values of an etcd what an upstream server does: it decodes them with client-go's and
// apiextensions' types and apimachinery's serializers, and encodes them. It reads one value a line (JSON, see question) and
// answers each with a line (answer).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// question is a value at rest.
type question struct {
	Value []byte `json:"value"`
	// Label is put on what is encoded, in the place of any it has: its value says in which encoding.
	Label string `json:"label"`
}

// answer is what the value is.
type answer struct {
	// Error tells why it cannot be decoded.
	Error string `json:"error,omitempty"`
	// Unregistered: there is no Go type of this kind, and the value is protobuf.
	Unregistered bool                    `json:"unregistered,omitempty"`
	Kind         schema.GroupVersionKind `json:"kind"`
	// Object is what a client would see.
	Object runtime.Object `json:"object,omitempty"`
	// Again is the same object in the value's own encoding: other bytes mean that something in it was not understood.
	Again []byte `json:"again,omitempty"`
	// Encoded is the labelled object by media type, as far as its kind is stored so.
	Encoded map[string][]byte `json:"encoded,omitempty"`
}

type codec struct {
	scheme     *runtime.Scheme
	serializer runtime.Decoder
	infos      []runtime.SerializerInfo
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	scheme := runtime.NewScheme()
	adders := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme)
	if err := adders.AddToScheme(scheme); err != nil {
		return err
	}
	factory := serializer.NewCodecFactory(scheme)
	codec := &codec{scheme: scheme, serializer: factory.UniversalDeserializer(), infos: factory.SupportedMediaTypes()}
	questions, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var asked question
		if err := questions.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		told, err := codec.answer(asked)
		if err != nil {
			told.Error = err.Error()
		}
		if err := answers.Encode(told); err != nil {
			return err
		}
	}
}

func (c *codec) answer(asked question) (answer, error) {
	object, kind, err := c.serializer.Decode(asked.Value, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return c.unregistered(asked)
	}
	if err != nil {
		return answer{}, err
	}
	told := answer{Kind: *kind, Object: object.DeepCopyObject(), Encoded: map[string][]byte{}}
	for _, info := range c.infos {
		if info.MediaType == runtime.ContentTypeCBOR {
			continue
		}
		written, err := c.encode(info.Serializer, object)
		if err != nil {
			return told, err
		}
		if mediaTypeOf(asked.Value) == info.MediaType {
			told.Again = written
		}
		copied := object.DeepCopyObject()
		if err := label(copied, asked.Label, info.MediaType); err != nil {
			return told, err
		}
		if told.Encoded[info.MediaType], err = c.encode(info.Serializer, copied); err != nil {
			return told, err
		}
	}
	return told, nil
}

// encode writes an object as it is, in the version that it has.
func (c *codec) encode(serializer runtime.Serializer, object runtime.Object) ([]byte, error) {
	var written bytes.Buffer
	err := serializer.Encode(object, &written)
	return written.Bytes(), err
}

// unregistered takes what is JSON for a custom resource.
func (c *codec) unregistered(asked question) (answer, error) {
	if mediaTypeOf(asked.Value) != runtime.ContentTypeJSON {
		unknown := &runtime.Unknown{}
		_, kind, err := c.serializer.Decode(asked.Value, nil, unknown)
		if err != nil {
			return answer{}, err
		}
		return answer{Kind: *kind, Unregistered: true}, nil
	}
	object, kind, err := unstructured.UnstructuredJSONScheme.Decode(asked.Value, nil, nil)
	if err != nil {
		return answer{}, err
	}
	told := answer{Kind: *kind, Object: object.DeepCopyObject()}
	var again, labelled bytes.Buffer
	if err := unstructured.UnstructuredJSONScheme.Encode(object, &again); err != nil {
		return told, err
	}
	if err := label(object, asked.Label, runtime.ContentTypeJSON); err != nil {
		return told, err
	}
	err = unstructured.UnstructuredJSONScheme.Encode(object, &labelled)
	told.Again, told.Encoded = again.Bytes(), map[string][]byte{runtime.ContentTypeJSON: labelled.Bytes()}
	return told, err
}

// label names the encoding without its "application/", which a label's value could not have.
func label(object runtime.Object, name, mediaType string) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	labels := map[string]string{name: strings.TrimPrefix(mediaType, "application/")}
	for key, value := range accessor.GetLabels() {
		if key != name {
			labels[key] = value
		}
	}
	accessor.SetLabels(labels)
	return nil
}

func mediaTypeOf(value []byte) string {
	switch {
	case bytes.HasPrefix(value, []byte("k8s\x00")):
		return runtime.ContentTypeProtobuf
	case bytes.HasPrefix(value, []byte("{")):
		return runtime.ContentTypeJSON
	default:
		return runtime.ContentTypeYAML
	}
}
