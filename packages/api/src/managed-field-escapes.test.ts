import { atOnce } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { expect, it } from 'vitest';
import { ConfigMap } from './generated/core/v1.js';

const codec = compileKind(ConfigMap);
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { 'f:a\b\\b\f\n': {} } } }] },
  data: { 'a\b\\b\f\n': '1' },
};
const FIELDS = String.raw`{"f:data":{"f:a\u0008\\b\u000c\n":{}}}`;

it('writes backspaces in keys of managed fields by their numbers, and others with letters', () => {
  const texts = [codec.encodeJson(object), atOnce(codec.encodeJsonSteps(object))].map((bytes) =>
    Buffer.from(bytes).toString(),
  );
  const expected = [
    expect.stringContaining(`"fieldsV1":${FIELDS}`),
    expect.stringContaining(String.raw`"a\b\\b\f\n":"1"`),
  ];
  const shown = texts.map((text) => [text, text]);
  expect(shown).toEqual([expected, expected]);
  expect(Buffer.from(codec.encodeProtobuf(object)).includes(FIELDS)).toBe(true);
});
