import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { freezeJson } from '@apiserver/apimachinery/json';
import { loadPatternEngine } from '@apiserver/apimachinery/patterns';
import { expect, it, vi } from 'vitest';
import { validateStructural } from './validate-structural.js';

const engine = await loadPatternEngine();
const AT = FieldPath.of('schema');
const schema = (pattern: string): JSONSchemaProps => ({
  type: 'object',
  properties: { a: { type: 'string', pattern } },
});
const errorsOf = (props: JSONSchemaProps) => validateStructural(props, AT, engine).length;

it('judges a frozen schema without faults once', () => {
  const props = schema('^a$');
  const compile = vi.fn(engine);
  validateStructural(props, AT, compile);
  freezeJson(props);
  validateStructural(props, AT, compile);
  expect(compile).toHaveBeenCalledOnce();
});

it('judges a frozen schema with faults each time', () => {
  const props = freezeJson(schema('(')) as JSONSchemaProps;
  expect([errorsOf(props), errorsOf(props)]).toEqual([1, 1]);
});

it('judges a schema again that may have changed', () => {
  const props = schema('^a$');
  const before = errorsOf(props);
  Object.assign(props.properties?.['a'] ?? {}, { pattern: '(' });
  expect([before, errorsOf(props)]).toEqual([0, 1]);
});
