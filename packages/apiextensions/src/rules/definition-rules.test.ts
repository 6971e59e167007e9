import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { atOnce } from '@apiserver/apimachinery/clock';
import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { loadPatternEngine } from '@apiserver/apimachinery/patterns';
import { expect, it } from 'vitest';
import { validateDefaults } from '../custom-resource-definition/validation/validate-defaults.js';
import { validateDefinitionRules } from './definition-rules.js';
import { loadRuleEngine } from './load-rule-engine.js';

const engine = await loadRuleEngine();
const compilePattern = await loadPatternEngine();
const AT = FieldPath.of('s');

/** The messages about the defaults of an object's fields, then those about rules. */
function messages(properties: Readonly<Record<string, JSONSchemaProps>>): readonly string[] {
  const props: JSONSchemaProps = { type: 'object', properties };
  const faultyDefaults = new Set<JSONSchemaProps>();
  const defaults = validateDefaults(props, AT, compilePattern, faultyDefaults);
  const schema = {
    props,
    at: AT,
    faulty: new Set<JSONSchemaProps>(),
    isStored: false,
    faultyDefaults,
    areDefaultsSound: defaults.length === 0,
  };
  return [...defaults, ...atOnce(validateDefinitionRules([schema], engine))].map(fieldErrorMessage);
}

const positive = (value: string | number): JSONSchemaProps => ({
  type: 'integer',
  default: value,
  'x-kubernetes-validations': [{ rule: 'self > 0', message: 'too low' }],
});

it('checks rules about defaults beside a default that is invalid', () => {
  expect(messages({ a: { type: 'integer', default: 'x' }, b: positive(-1) })).toEqual([
    's.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    's.properties[b].default: Invalid value: -1: too low',
  ]);
});

it('checks no rules about an invalid default', () => {
  expect(messages({ a: positive('x') })).toEqual([
    's.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
  ]);
});

it('looks at expressions only if no default has a fault', () => {
  const wrong = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self ==' }] };
  expect(messages({ a: positive('x'), b: wrong })).toHaveLength(1);
  expect(messages({ a: positive(1), b: wrong })).toEqual([
    expect.stringContaining('s.properties[b].x-kubernetes-validations[0].rule: Invalid value'),
  ]);
});
