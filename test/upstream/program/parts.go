package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/admission/plugin/manifest"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/klog/v2/textlogger"
)

func askKubeVersions(asked struct{ Versions []string }) any {
	sort.SliceStable(asked.Versions, func(i, j int) bool {
		return version.CompareKubeAwareVersionStrings(asked.Versions[i], asked.Versions[j]) > 0
	})
	return asked.Versions
}

func askKeyPair(asked struct{ Certificate, Key string }) any {
	if _, err := tls.X509KeyPair([]byte(asked.Certificate), []byte(asked.Key)); err != nil {
		return err.Error()
	}
	return ""
}

func askStatusError(asked struct {
	Make, Group, Kind, Name, Message string
	Number                           int
	Errors                           []struct {
		Type, Field, Detail string
		Value               any
	}
}) any {
	resource := schema.GroupResource{Group: asked.Group, Resource: asked.Kind}
	cause := errors.New(asked.Message)
	list := field.ErrorList{}
	for _, one := range asked.Errors {
		list = append(list, &field.Error{Type: field.ErrorType(one.Type), Field: one.Field, Detail: one.Detail, BadValue: one.Value})
	}
	makers := map[string]func() *apierrors.StatusError{
		"notFound":      func() *apierrors.StatusError { return apierrors.NewNotFound(resource, asked.Name) },
		"alreadyExists": func() *apierrors.StatusError { return apierrors.NewAlreadyExists(resource, asked.Name) },
		"generateName": func() *apierrors.StatusError {
			return apierrors.NewGenerateNameConflict(resource, asked.Name, asked.Number)
		},
		"unauthorized":       func() *apierrors.StatusError { return apierrors.NewUnauthorized(asked.Message) },
		"forbidden":          func() *apierrors.StatusError { return apierrors.NewForbidden(resource, asked.Name, cause) },
		"conflict":           func() *apierrors.StatusError { return apierrors.NewConflict(resource, asked.Name, cause) },
		"expired":            func() *apierrors.StatusError { return apierrors.NewResourceExpired(asked.Message) },
		"badRequest":         func() *apierrors.StatusError { return apierrors.NewBadRequest(asked.Message) },
		"tooManyRequests":    func() *apierrors.StatusError { return apierrors.NewTooManyRequests(asked.Message, asked.Number) },
		"unavailable":        func() *apierrors.StatusError { return apierrors.NewServiceUnavailable(asked.Message) },
		"methodNotSupported": func() *apierrors.StatusError { return apierrors.NewMethodNotSupported(resource, asked.Message) },
		"serverTimeout": func() *apierrors.StatusError {
			return apierrors.NewServerTimeout(resource, asked.Message, asked.Number)
		},
		"internal":      func() *apierrors.StatusError { return apierrors.NewInternalError(cause) },
		"timeout":       func() *apierrors.StatusError { return apierrors.NewTimeoutError(asked.Message, asked.Number) },
		"requestEntity": func() *apierrors.StatusError { return apierrors.NewRequestEntityTooLargeError(asked.Message) },
		"generic": func() *apierrors.StatusError {
			return apierrors.NewGenericServerResponse(asked.Number, asked.Kind, resource, asked.Name, asked.Message, len(list), len(list)%2 == 0)
		},
		"invalid": func() *apierrors.StatusError {
			return apierrors.NewInvalid(schema.GroupKind{Group: asked.Group, Kind: asked.Kind}, asked.Name, list)
		},
	}
	return makers[asked.Make]().Status()
}

func askRequestHeader(asked struct {
	Names, UIDs, Groups, Prefixes []string
	Headers                       [][2]string
}) any {
	lists := [][]string{asked.Names, asked.UIDs, asked.Groups, asked.Prefixes}
	authenticator := headerrequest.NewDynamic(headerrequest.StaticStringSlice(lists[0]), headerrequest.StaticStringSlice(lists[1]),
		headerrequest.StaticStringSlice(lists[2]), headerrequest.StaticStringSlice(lists[3]))
	header := http.Header{}
	for _, one := range asked.Headers {
		header.Add(one[0], one[1])
	}
	response, ok, err := authenticator.AuthenticateRequest(&http.Request{Header: header})
	if err != nil {
		return err.Error()
	}
	if !ok {
		return nil
	}
	user := response.User
	return map[string]any{"name": user.GetName(), "uid": user.GetUID(), "groups": user.GetGroups(), "extra": user.GetExtra()}
}

// askManifestFiles reads files by name, and answers with their hash and documents.
func askManifestFiles(asked struct{ Files map[string][]byte }) any {
	folder, err := os.MkdirTemp("", "manifests")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(folder)
	for name, data := range asked.Files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err.Error()
		}
	}
	documents, hash, err := manifest.LoadFiles(folder)
	if err != nil {
		return strings.ReplaceAll(err.Error(), folder, "FOLDER")
	}
	answer := []string{hash}
	for _, one := range documents {
		answer = append(answer, filepath.Base(one.FilePath), string(one.Doc))
	}
	return answer
}

// askLogLine answers with a line behind its head.
func askLogLine(asked struct {
	Message string
	Keys    []string
	Values  []any
	Err     *string
}) any {
	pairs := []any{}
	for i, key := range asked.Keys {
		pairs = append(pairs, key, asked.Values[i])
	}
	var line bytes.Buffer
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&line)))
	if asked.Err == nil {
		logger.Info(asked.Message, pairs...)
	} else {
		logger.Error(errors.New(*asked.Err), asked.Message, pairs...)
	}
	_, text, _ := strings.Cut(line.String(), "] ")
	return text
}

// askServerNames answers with the certificate that a client gets for each name.
func askServerNames(asked struct {
	Serving [2]string
	Named   []struct {
		Pair  [2]string
		Names []string
	}
	ServerNames []string
}) any {
	serving, err := dynamiccertificates.NewStaticCertKeyContent("serving", []byte(asked.Serving[0]), []byte(asked.Serving[1]))
	if err != nil {
		return err.Error()
	}
	named := []dynamiccertificates.SNICertKeyContentProvider{}
	for i, one := range asked.Named {
		content, err := dynamiccertificates.NewStaticSNICertKeyContent(fmt.Sprint(i), []byte(one.Pair[0]), []byte(one.Pair[1]), one.Names...)
		if err != nil {
			return err.Error()
		}
		named = append(named, content)
	}
	controller := dynamiccertificates.NewDynamicServingCertificateController(&tls.Config{}, nil, serving, named, nil)
	if err := controller.RunOnce(); err != nil {
		return err.Error()
	}
	answer := []string{}
	for _, name := range asked.ServerNames {
		answer = append(answer, shownCertificate(&tls.Config{GetConfigForClient: controller.GetConfigForClient}, name))
	}
	return answer
}

// shownCertificate is the hash of a certificate that a server shows.
func shownCertificate(config *tls.Config, serverName string) string {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	go tls.Server(there, config).Handshake()
	client := tls.Client(here, &tls.Config{InsecureSkipVerify: true, ServerName: serverName})
	if err := client.Handshake(); err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(client.ConnectionState().PeerCertificates[0].Raw)
	return hex.EncodeToString(sum[:])
}
