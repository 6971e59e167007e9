import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { expect, it } from 'vitest';
import { publishedSchema } from './published-schema.js';

const either: JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];
const intOrString: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
const preserving: JSONSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };

/** Each result equals upstream's builder; see test/openapi. */
it.each<[string, JSONSchemaProps, object, object]>([
  [
    'what is empty',
    { type: 'object', description: '', required: [], nullable: false },
    { type: 'object' },
    { type: 'object' },
  ],
  ['literals', { default: false, example: '' }, { example: '' }, { default: false, example: '' }],
  ['an integer or a string', intOrString, intOrString, { ...intOrString, anyOf: either }],
  ['an explicit integer or string', { ...intOrString, anyOf: either }, intOrString, { ...intOrString, anyOf: either }],
  [
    'one that says so in allOf',
    { ...intOrString, allOf: [{ anyOf: either }, { minimum: 1 }] },
    intOrString,
    { ...intOrString, allOf: [{ anyOf: either }, { minimum: 1 }] },
  ],
  [
    'one with another anyOf',
    { ...intOrString, anyOf: [{ minimum: 1 }], allOf: [{ maximum: 9 }] },
    intOrString,
    { ...intOrString, anyOf: [{ minimum: 1 }], allOf: [{ anyOf: either }, { maximum: 9 }] },
  ],
  [
    'what a junctor says of further members',
    { not: { additionalProperties: { type: 'string' }, required: ['a'] } },
    {},
    { not: { required: ['a'] } },
  ],
  [
    'a nullable object',
    { type: 'object', nullable: true, properties: { a: { type: 'string' } }, required: ['a'] },
    { required: ['a'] },
    { type: 'object', nullable: true, properties: { a: { type: 'string' } }, required: ['a'] },
  ],
  [
    'a required member that is nullable',
    {
      type: 'object',
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      required: ['a', 'b'],
    },
    { type: 'object', properties: { a: {}, b: { type: 'string' } }, required: ['b'] },
    {
      type: 'object',
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      required: ['a', 'b'],
    },
  ],
  [
    'a list that keeps everything',
    { type: 'array', items: { type: 'object' }, ...preserving },
    preserving,
    { type: 'array', items: { type: 'object' }, ...preserving },
  ],
])('shows %s', (_, props, v2, v3) => {
  expect([publishedSchema(props, 'v2'), publishedSchema(props, 'v3')]).toEqual([v2, v3]);
});
