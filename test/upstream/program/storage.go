package main

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// firstRevision is that of a new store.
const firstRevision = 1

// kept is an object at rest.
type kept struct {
	data     []byte
	revision uint64
}

// memoryStorage is a storage of one resource for one request at a time. It keeps objects in protobuf, as an etcd does.
type memoryStorage struct {
	storage.Interface // The methods that no request of a case calls.
	versioner         storage.APIObjectVersioner
	objects           map[string]kept
	revision          uint64
}

func newMemoryStorage() *memoryStorage {
	return &memoryStorage{objects: map[string]kept{}, revision: firstRevision}
}

func (m *memoryStorage) clear() {
	m.objects, m.revision = map[string]kept{}, firstRevision
}

func (m *memoryStorage) Versioner() storage.Versioner { return m.versioner }

func (m *memoryStorage) ReadinessCheck() error { return nil }

func (m *memoryStorage) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return m.revision, nil
}

func encoded(object runtime.Object) ([]byte, error) {
	return object.(interface{ Marshal() ([]byte, error) }).Marshal()
}

func (m *memoryStorage) decodeInto(data []byte, out runtime.Object, revision uint64) error {
	reflect.ValueOf(out).Elem().SetZero()
	if err := out.(interface{ Unmarshal([]byte) error }).Unmarshal(data); err != nil {
		return err
	}
	return m.versioner.UpdateObject(out, revision)
}

func (m *memoryStorage) put(key string, data []byte, out runtime.Object) error {
	m.revision++
	m.objects[key] = kept{data, m.revision}
	return m.decodeInto(data, out, m.revision)
}

func (m *memoryStorage) Get(_ context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	found, ok := m.objects[key]
	if !ok && options.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	if !ok {
		return storage.NewKeyNotFoundError(key, 0)
	}
	return m.decodeInto(found.data, out, found.revision)
}

func (m *memoryStorage) Create(_ context.Context, key string, object, out runtime.Object, _ uint64) error {
	if version, err := m.versioner.ObjectResourceVersion(object); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	if err := m.versioner.PrepareObjectForStorage(object); err != nil {
		return err
	}
	data, err := encoded(object)
	if err != nil {
		return err
	}
	if _, ok := m.objects[key]; ok {
		return storage.NewKeyExistsError(key, 0)
	}
	return m.put(key, data, out)
}

func (m *memoryStorage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions, validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	if err := m.Get(ctx, key, storage.GetOptions{}, out); err != nil {
		return err
	}
	if err := preconditions.Check(key, out); err != nil {
		return err
	}
	if err := validate(ctx, out); err != nil {
		return err
	}
	delete(m.objects, key)
	m.revision++
	return m.versioner.UpdateObject(out, m.revision)
}

func (m *memoryStorage) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	current := reflect.New(reflect.TypeOf(out).Elem()).Interface().(runtime.Object)
	if err := m.Get(ctx, key, storage.GetOptions{IgnoreNotFound: ignoreNotFound}, current); err != nil {
		return err
	}
	if err := preconditions.Check(key, current); err != nil {
		return err
	}
	before := m.objects[key]
	object, _, err := update(current, storage.ResponseMeta{ResourceVersion: before.revision})
	if err != nil {
		return err
	}
	if err := m.versioner.PrepareObjectForStorage(object); err != nil {
		return err
	}
	data, err := encoded(object)
	if err != nil {
		return err
	}
	if before.data != nil && bytes.Equal(data, before.data) {
		return m.decodeInto(data, out, before.revision)
	}
	return m.put(key, data, out)
}

func (m *memoryStorage) GetList(_ context.Context, prefix string, options storage.ListOptions, list runtime.Object) error {
	// The watch cache makes tokens with the key as it is.
	key := prefix
	if options.Recursive && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	_, from, err := storage.ValidateListOptions(prefix, m.versioner, options)
	if err != nil {
		return err
	}
	keys := []string{}
	for stored := range m.objects {
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
			token, remaining, err := storage.PrepareContinueToken(last, key, int64(m.revision), int64(len(keys)-at+limit), true, options)
			if err != nil {
				return err
			}
			return m.versioner.UpdateList(list, m.revision, token, remaining)
		}
		last = stored
		item := reflect.New(items.Type().Elem())
		object := item.Interface().(runtime.Object)
		if err := m.decodeInto(m.objects[stored].data, object, m.objects[stored].revision); err != nil {
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
	return m.versioner.UpdateList(list, m.revision, "", nil)
}
