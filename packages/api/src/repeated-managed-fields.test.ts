import { compileKind } from '@apiserver/apimachinery/codec';
import { expect, it } from 'vitest';
import { ConfigMap } from './generated/core/v1.js';

it.each([
  ['{"f:data":{},"f:data":{"f:a":{}}}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":{}}', { 'f:data': { '.': {}, 'f:a': {} } }],
  ['{"f:data":{"f:a":{}},"f:data":{"f:b":{}}}', { 'f:data': { 'f:b': {} } }],
  ['{"f:data":{".":{},"f:a":{}},"f:data":{"f:b":{}}}', { 'f:data': { '.': {}, 'f:b': {} } }],
  ['{"f:data":{},"f:data":{".":{},".":{}}}', { 'f:data': { '.': {} } }],
])('reads repeated managed fields %s', (fields, expected) => {
  const text = `{"metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`;
  const { object, strictErrors } = compileKind(ConfigMap).decodeJson(Buffer.from(text), 'Strict');
  expect([object.metadata.managedFields?.[0]?.fieldsV1, strictErrors]).toEqual([expected, []]);
});
