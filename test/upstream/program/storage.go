package main

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// firstRevision is that of a new store.
const firstRevision = 1

// keyValues holds encoded objects, as an etcd does, for one request at a time.
type keyValues struct {
	records  map[string]record
	revision uint64
}

type record struct {
	data     []byte
	revision uint64
}

func newKeyValues() *keyValues {
	return &keyValues{map[string]record{}, firstRevision}
}

func (k *keyValues) clear() {
	k.records, k.revision = map[string]record{}, firstRevision
}

// decorator makes storages of this store for upstream's registries.
func (k *keyValues) decorator() generic.StorageDecorator {
	return func(config *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string, error), made func() runtime.Object, _ func() runtime.Object, _ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return &encodedStorage{nil, k, config.Codec, made}, func() {}, nil
	}
}

// encodedStorage is the storage of a resource. It does not watch.
type encodedStorage struct {
	storage.Interface // The methods that no request of a case calls.
	store             *keyValues
	codec             runtime.Codec
	made              func() runtime.Object
}

func (e *encodedStorage) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (e *encodedStorage) decode(data []byte, into runtime.Object, revision uint64) error {
	if _, err := conversion.EnforcePtr(into); err != nil {
		return err
	}
	if _, _, err := e.codec.Decode(data, nil, into); err != nil {
		return err
	}
	if _, ok := into.(runtime.Unstructured); !ok {
		// As internal types have none.
		into.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return e.Versioner().UpdateObject(into, revision)
}

func (e *encodedStorage) put(key string, object, out runtime.Object) error {
	if err := e.Versioner().PrepareObjectForStorage(object); err != nil {
		return err
	}
	data, err := runtime.Encode(e.codec, object)
	if err != nil {
		return err
	}
	if known, ok := e.store.records[key]; ok && bytes.Equal(known.data, data) {
		return e.decode(data, out, known.revision)
	}
	e.store.revision++
	e.store.records[key] = record{data, e.store.revision}
	return e.decode(data, out, e.store.revision)
}

func (e *encodedStorage) Create(_ context.Context, key string, object, out runtime.Object, _ uint64) error {
	if version, err := e.Versioner().ObjectResourceVersion(object); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	if _, ok := e.store.records[key]; ok {
		return storage.NewKeyExistsError(key, 0)
	}
	return e.put(key, object, out)
}

func (e *encodedStorage) Get(_ context.Context, key string, options storage.GetOptions, into runtime.Object) error {
	known, ok := e.store.records[key]
	if !ok && options.IgnoreNotFound {
		return runtime.SetZeroValue(into)
	}
	if !ok {
		return storage.NewKeyNotFoundError(key, 0)
	}
	return e.decode(known.data, into, known.revision)
}

func (e *encodedStorage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions, validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	if err := e.Get(ctx, key, storage.GetOptions{}, out); err != nil {
		return err
	}
	if err := preconditions.Check(key, out); err != nil {
		return err
	}
	if err := validate(ctx, out); err != nil {
		return err
	}
	delete(e.store.records, key)
	e.store.revision++
	return e.Versioner().UpdateObject(out, e.store.revision)
}

func (e *encodedStorage) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool, preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	current := e.made()
	if err := e.Get(ctx, key, storage.GetOptions{IgnoreNotFound: ignoreNotFound}, current); err != nil {
		return err
	}
	if err := preconditions.Check(key, current); err != nil {
		return err
	}
	known := e.store.records[key]
	updated, _, err := update(current, storage.ResponseMeta{ResourceVersion: known.revision})
	if err != nil {
		return err
	}
	return e.put(key, updated, destination)
}

func (e *encodedStorage) ReadinessCheck() error { return nil }

func (e *encodedStorage) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return e.store.revision, nil
}

func (e *encodedStorage) GetList(_ context.Context, prefix string, options storage.ListOptions, list runtime.Object) error {
	// The watch cache makes tokens with the key as it is.
	key := prefix
	if options.Recursive && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	_, from, err := storage.ValidateListOptions(prefix, e.Versioner(), options)
	if err != nil {
		return err
	}
	keys := []string{}
	for stored := range e.store.records {
		isMeant := stored == prefix || (options.Recursive && strings.HasPrefix(stored, prefix))
		if isMeant && stored >= from {
			keys = append(keys, stored)
		}
	}
	slices.Sort(keys)
	items := reflect.ValueOf(list).Elem().FieldByName("Items")
	last, limit := "", int(options.Predicate.Limit)
	for at, stored := range keys {
		if limit > 0 && items.Len() == limit {
			token, remaining, err := storage.PrepareContinueToken(last, key, int64(e.store.revision), int64(len(keys)-at+limit), true, options)
			if err != nil {
				return err
			}
			return e.Versioner().UpdateList(list, e.store.revision, token, remaining)
		}
		last = stored
		item := reflect.New(items.Type().Elem())
		object := item.Interface().(runtime.Object)
		if untyped, ok := object.(*unstructured.Unstructured); ok {
			// Its elements are decoded to the version of a list.
			untyped.SetAPIVersion(list.GetObjectKind().GroupVersionKind().GroupVersion().String())
		}
		if err := e.decode(e.store.records[stored].data, object, e.store.records[stored].revision); err != nil {
			return err
		}
		if matches, err := options.Predicate.Matches(object); err != nil {
			return err
		} else if matches {
			items.Set(reflect.Append(items, item.Elem()))
		}
	}
	if items.IsNil() {
		items.Set(reflect.MakeSlice(items.Type(), 0, 0))
	}
	return e.Versioner().UpdateList(list, e.store.revision, "", nil)
}
