import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { FieldPath, fieldErrorBody } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateSelectableFields } from './validate-selectable-fields.js';

const props: JSONSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        i: { type: 'integer' },
        n: { type: 'number' },
        b: { type: 'boolean' },
        o: { type: 'object', properties: { x: { type: 'string' } } },
        l: { type: 'array', items: { type: 'string' } },
        lo: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
        m: { type: 'object', additionalProperties: { type: 'string' } },
        'with-dash': { type: 'string' },
        'a.b': { type: 'string' },
        'x y': { type: 'string' },
        ios: { 'x-kubernetes-int-or-string': true },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        en: { type: 'string', enum: ['a'] },
        fm: { type: 'string', format: 'date' },
        _u: { type: 'string' },
        '1n': { type: 'string' },
        é: { type: 'string' },
      },
    },
    status: { type: 'object', properties: { p: { type: 'string' } } },
  },
};

const at = FieldPath.of('spec', 'versions').index(0);

/** The responses of a server of k8s.io/apiextensions-apiserver v0.36.6. */
it.each([
  ['.spec.a', 'taken'],
  ['spec.a', 'Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec'],
  ['.spec.missing', 'Invalid value: ".spec.missing": is an invalid path: does not refer to a valid field'],
  [
    '.spec',
    'Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  [
    '.spec.o',
    'Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  ['.spec.o.x', 'taken'],
  ['.spec.o.y', 'Invalid value: ".spec.o.y": is an invalid path: does not refer to a valid field'],
  [
    '.spec.l',
    'Invalid value: ".spec.l": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  ['.spec.l[0]', 'Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed'],
  ['.spec.lo[0].k', 'Invalid value: ".spec.lo[0].k": is an invalid path: array notation is not allowed'],
  ['.spec.lo.k', 'Invalid value: ".spec.lo.k": is an invalid path: does not refer to a valid field'],
  [
    '.spec.m',
    'Invalid value: ".spec.m": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  ['.spec.m.x', 'taken'],
  ['.spec.i', 'taken'],
  [
    '.spec.n',
    'Invalid value: ".spec.n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  ['.spec.b', 'taken'],
  [
    '.spec.ios',
    'Invalid value: ".spec.ios": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  [
    '.spec.any',
    'Invalid value: ".spec.any": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
  ['.spec.any.x', 'Invalid value: ".spec.any.x": is an invalid path: does not refer to a valid field'],
  ['.spec.en', 'taken'],
  ['.spec.fm', 'taken'],
  ['.metadata.name', 'Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field'],
  ['.metadata', 'Invalid value: ".metadata": is an invalid path: does not refer to a valid field'],
  ['.metadata.labels', 'Invalid value: ".metadata.labels": is an invalid path: does not refer to a valid field'],
  ['.metadata.foo', 'Invalid value: ".metadata.foo": is an invalid path: does not refer to a valid field'],
  ['.apiVersion', 'Invalid value: ".apiVersion": is an invalid path: does not refer to a valid field'],
  ['.kind', 'Invalid value: ".kind": is an invalid path: does not refer to a valid field'],
  ['.status.p', 'taken'],
  ['.', 'Invalid value: ".": is an invalid path: unexpected end of JSON path'],
  ['', 'Required value'],
  ['..spec', 'Invalid value: "..spec": is an invalid path: does not refer to a valid field'],
  ['.spec.', 'Invalid value: ".spec.": is an invalid path: unexpected end of JSON path'],
  ['.spec..a', 'Invalid value: ".spec..a": is an invalid path: does not refer to a valid field'],
  [".spec['a']", 'Invalid value: ".spec[\'a\']": is an invalid path: array notation is not allowed'],
  ['.spec["a"]', 'Invalid value: ".spec[\\"a\\"]": is an invalid path: array notation is not allowed'],
  [".spec['a.b']", 'Invalid value: ".spec[\'a.b\']": is an invalid path: array notation is not allowed'],
  [".spec['with-dash']", 'Invalid value: ".spec[\'with-dash\']": is an invalid path: array notation is not allowed'],
  ['.spec.with-dash', 'taken'],
  ['.spec.a ', 'Invalid value: ".spec.a ": is an invalid path: does not refer to a valid field'],
  [' .spec.a', 'Invalid value: " .spec.a": is an invalid path: expected [ or . but got:  '],
  ['.spec.a.b.c', 'Invalid value: ".spec.a.b.c": is an invalid path: does not refer to a valid field'],
  ['.spec._u', 'taken'],
  ['.spec.1n', 'taken'],
  ['.spec.é', 'taken'],
  [".['spec']", 'Invalid value: ".[\'spec\']": is an invalid path: does not refer to a valid field'],
  ["['spec']", 'Invalid value: "[\'spec\']": is an invalid path: array notation is not allowed'],
  ['.spec[', 'Invalid value: ".spec[": is an invalid path: array notation is not allowed'],
  [".spec['a", 'Invalid value: ".spec[\'a": is an invalid path: array notation is not allowed'],
  ['.spec.*', 'Invalid value: ".spec.*": is an invalid path: does not refer to a valid field'],
  ['.spec.a!', 'Invalid value: ".spec.a!": is an invalid path: does not refer to a valid field'],
  ['$.spec.a', 'Invalid value: "$.spec.a": is an invalid path: expected [ or . but got: $'],
  ['.spec.a[0]', 'Invalid value: ".spec.a[0]": is an invalid path: array notation is not allowed'],
  ['.spec.x y', 'taken'],
  [".spec['x y']", 'Invalid value: ".spec[\'x y\']": is an invalid path: array notation is not allowed'],
  ['.spec\n.a', 'Invalid value: ".spec\\n.a": is an invalid path: does not refer to a valid field'],
  ['[0]', 'Invalid value: "[0]": is an invalid path: array notation is not allowed'],
  ['.[0]', 'Invalid value: ".[0]": is an invalid path: does not refer to a valid field'],
  ['.spec.a\\b', 'Invalid value: ".spec.a\\\\b": is an invalid path: does not refer to a valid field'],
  ['.spec.o["x"]', 'Invalid value: ".spec.o[\\"x\\"]": is an invalid path: array notation is not allowed'],
  [".spec['a\\'b']", "Invalid value: \".spec['a\\\\'b']\": is an invalid path: array notation is not allowed"],
  ['a', 'Invalid value: "a": is an invalid path: expected [ or . but got: a'],
  ['foo', 'Invalid value: "foo": is an invalid path: expected [ or . but got: foo'],
  ['.foo', 'Invalid value: ".foo": is an invalid path: does not refer to a valid field'],
  [".spec['']", 'Invalid value: ".spec[\'\']": is an invalid path: array notation is not allowed'],
  ['.spec[a]', 'Invalid value: ".spec[a]": is an invalid path: array notation is not allowed'],
])('%j: %s', (jsonPath, expected) => {
  const [error] = validateSelectableFields({ selectableFields: [{ jsonPath }] }, props, { at, isShared: false });
  expect(error === undefined ? 'taken' : fieldErrorBody(error)).toBe(expected);
});

it('judges the first thousand of very many, and counts all', () => {
  const selectableFields = Array.from({ length: 2_000 }, (_, i) => ({ jsonPath: `.spec.missing${i}` }));
  const known = Array.from({ length: 9 }, (_, i) => ({ jsonPath: `.status.q${i}` }));
  const status = { type: 'object', properties: Object.fromEntries(known.map((_, i) => [`q${i}`, { type: 'string' }])) };
  const wide = { ...props, properties: { ...props.properties, status } };
  const errors = validateSelectableFields({ selectableFields: [...known, ...selectableFields] }, wide, {
    at,
    isShared: false,
  }).map(fieldErrorBody);
  expect([errors.length, errors.at(-1)]).toEqual([992, 'Too many: 1018: must have at most 8 items']);
});
