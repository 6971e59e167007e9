import { ConfigMap } from '@apiserver/api/core/v1';
import type { Json } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { expect, test } from 'vitest';

const codec = compileKind(ConfigMap);
const type = { kind: 'ConfigMap', apiVersion: 'v1' };

test('a merged object has the parts that it shares with the object before', () => {
  const before = codec.normalize({ ...type, metadata: { name: 'a', labels: { b: 'c' } }, data: { k: 'v' } });
  const value: unknown = { ...before, metadata: { ...before.metadata, annotations: { d: 'e' } } };
  const { data, metadata } = codec.fromMerged(value as Json, before);
  expect([data, metadata.labels].map((part) => part === before.data || part === before.metadata.labels)).toEqual([
    true,
    true,
  ]);
  expect(metadata).toEqual({ name: 'a', labels: { b: 'c' }, annotations: { d: 'e' } });
});

test.each([
  ['in order are the same object', { 'f:a': {}, 'f:b': { '.': {}, 'k:{"c":1}': {} } }, true],
  ['in another order are sorted', { 'f:b': {}, 'f:a': {} }, false],
  ['with other values are read', { 'f:a': { b: 1 } }, false],
])('fields of managers %s', (_, fieldsV1, isSame) => {
  const managedFields = [{ manager: 'm', fieldsV1 }];
  const { object } = codec.fromUnstructured({ ...type, metadata: { name: 'a', managedFields } }, 'Ignore');
  const read = object.metadata.managedFields?.[0]?.fieldsV1;
  expect([read === fieldsV1, read]).toEqual([isSame, fieldsV1]);
  expect(Object.keys(read ?? {})).toEqual(Object.keys(fieldsV1).sort());
});
