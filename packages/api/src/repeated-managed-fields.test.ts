import { compileKind } from '@apiserver/apimachinery/codec';
import { expect, it } from 'vitest';
import { ConfigMap } from './generated/core/v1.js';

it.each([
  ['{"f:data":{},"f:data":{"f:a":{}}}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":{}}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":{"f:b":{}}}', { 'f:data': { 'f:b': {} } }],
  ['{"f:data":{".":{},"f:a":{}},"f:data":{"f:b":{}}}', { 'f:data': { '.': {}, 'f:b': {} } }],
  ['{"f:data":{},"f:data":{".":{},".":{}}}', { 'f:data': { '.': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":{"x:b":{}}}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":null}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":5,"f:data":{"f:a":{}}}', { 'f:data': 5 }],
])('reads repeated managed fields %s', (fields, expected) => {
  const text = `{"metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`;
  const { object, strictErrors } = compileKind(ConfigMap).decodeJson(Buffer.from(text), 'Strict');
  expect([object.metadata.managedFields?.[0]?.fieldsV1, strictErrors]).toEqual([expected, []]);
});

it('looks at each of many repeated fields once', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `"f:${i}":{}`).join();
  const fields = `{"f:data":{${many}}${',"f:data":{}'.repeat(10_000)}}`;
  const text = `{"metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`;
  const { object } = compileKind(ConfigMap).decodeJson(Buffer.from(text), 'Ignore');
  expect(Object.keys(Object(object.metadata.managedFields?.[0]?.fieldsV1)['f:data'])).toHaveLength(10_001);
});
