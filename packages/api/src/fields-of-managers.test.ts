import { ConfigMap } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { expect, test } from 'vitest';

const codec = compileKind(ConfigMap);
const type = { kind: 'ConfigMap', apiVersion: 'v1' };

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
