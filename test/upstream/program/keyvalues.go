package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// keyValues holds encoded objects, as an etcd does.
type keyValues struct {
	records  map[string]record
	revision uint64
}

type record struct {
	data     []byte
	revision uint64
}

func newKeyValues() *keyValues {
	return &keyValues{records: map[string]record{}}
}

// decorator makes storages of this store for upstream's registries.
func (k *keyValues) decorator() generic.StorageDecorator {
	return func(config *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string, error), made func() runtime.Object, _ func() runtime.Object, _ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return &encodedStorage{k, config.Codec, made}, func() {}, nil
	}
}

// encodedStorage is the storage of a resource. It neither lists nor watches.
type encodedStorage struct {
	store *keyValues
	codec runtime.Codec
	made  func() runtime.Object
}

var errNotBuilt = errors.New("not built")

func (e *encodedStorage) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (e *encodedStorage) decode(data []byte, into runtime.Object, revision uint64) error {
	if _, err := conversion.EnforcePtr(into); err != nil {
		return err
	}
	if _, _, err := e.codec.Decode(data, nil, into); err != nil {
		return err
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
	return nil
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
	version, err := e.Versioner().ObjectResourceVersion(updated)
	if err != nil {
		return err
	}
	if version != 0 && version != known.revision {
		return fmt.Errorf("unexpected resource version %s", strconv.FormatUint(version, 10))
	}
	return e.put(key, updated, destination)
}

func (e *encodedStorage) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	return errNotBuilt
}

func (e *encodedStorage) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return nil, errNotBuilt
}

func (e *encodedStorage) Stats(context.Context) (storage.Stats, error) {
	return storage.Stats{}, errNotBuilt
}
func (e *encodedStorage) ReadinessCheck() error                      { return nil }
func (e *encodedStorage) RequestWatchProgress(context.Context) error { return errNotBuilt }
func (e *encodedStorage) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return e.store.revision, nil
}
func (e *encodedStorage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }
func (e *encodedStorage) CompactRevision() int64                              { return 0 }
