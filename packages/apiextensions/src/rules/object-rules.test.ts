import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import {
  type FieldError,
  FieldPath,
  fieldErrorMessage,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { beforeAll, describe, expect, it } from 'vitest';
import { valueValidationOf } from '../schema/value-validation.js';
import { loadRuleEngine } from './load-rule-engine.js';
import { objectRules } from './object-rules.js';
import type { RuleEngine } from './rule-engine.js';

let engine: RuleEngine;
beforeAll(async () => {
  engine = await loadRuleEngine();
});

interface Checked {
  readonly spec: object;
  /** The spec before an update. */
  readonly old?: object;
  readonly errors?: readonly FieldError[];
}

const objectWith = (spec: object): KubeObject => ({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a' }, spec });

/** Errors and warnings of rules of a schema with the given specification. */
function checking(spec: JSONSchemaProps, root: Partial<JSONSchemaProps> = {}) {
  const props: JSONSchemaProps = { type: 'object', properties: { spec }, ...root };
  const check = objectRules({ props, validation: () => valueValidationOf(props), loadEngine: async () => engine });
  return async (checked: Checked) => {
    const warnings: string[] = [];
    const errors = await check({
      object: objectWith(checked.spec),
      old: checked.old && objectWith(checked.old),
      errors: checked.errors ?? [],
      warn: (message) => void warnings.push(message),
    });
    return { errors: errors.map(fieldErrorMessage), warnings };
  };
}

it('reports the time of compiling and of evaluating', async () => {
  const reported: unknown[] = [];
  const observer = {
    compiled: (seconds: number) => void reported.push(['compiled', seconds >= 0]),
    evaluated: (seconds: number) => void reported.push(['evaluated', seconds >= 0]),
  };
  const props: JSONSchemaProps = { type: 'object', 'x-kubernetes-validations': [{ rule: 'true' }] };
  const validation = () => valueValidationOf(props);
  const check = objectRules({ props, validation, loadEngine: () => loadRuleEngine(observer) });
  for (const old of [undefined, objectWith({})]) {
    await check({ object: objectWith({}), old, errors: [], warn: () => {} });
  }
  expect(reported).toEqual([
    ['compiled', true],
    ['evaluated', true],
    ['evaluated', true],
  ]);
});

const text: JSONSchemaProps = { type: 'string' };
const number: JSONSchemaProps = { type: 'integer' };
const objectOf = (properties: Record<string, JSONSchemaProps>, ...rules: ValidationRule[]): JSONSchemaProps => ({
  type: 'object',
  properties,
  'x-kubernetes-validations': rules,
});

describe('the error of a failed rule', () => {
  const failed = 'self.a > 1';

  it.each<readonly [string, ValidationRule, string]>([
    ['names the rule', { rule: ` ${failed}\n` }, `spec: Invalid value: failed rule: ${failed}`],
    ['has its message', { rule: failed, message: ' too low ' }, 'spec: Invalid value: too low'],
    ['has its path', { rule: failed, fieldPath: '.a' }, `spec.a: Invalid value: failed rule: ${failed}`],
    [
      'has a path with a key',
      { rule: failed, fieldPath: ".m['x.y']" },
      `spec.m[x.y]: Invalid value: failed rule: ${failed}`,
    ],
    [
      'has no path beside an unusable message expression',
      { rule: failed, fieldPath: '.a', messageExpression: '1' },
      `spec: Invalid value: failed rule: ${failed}`,
    ],
    ['is Forbidden', { rule: failed, reason: 'FieldValueForbidden' }, `spec: Forbidden: failed rule: ${failed}`],
    ['is Required', { rule: failed, reason: 'FieldValueRequired' }, `spec: Required value: failed rule: ${failed}`],
    ['is Duplicate', { rule: failed, reason: 'FieldValueDuplicate' }, 'spec: Duplicate value'],
    [
      'has the message of its expression',
      { rule: failed, message: 'no', messageExpression: "' a is ' + string(self.a)" },
      'spec: Invalid value: a is 1',
    ],
    ['has no empty message', { rule: failed, message: 'no', messageExpression: "' '" }, 'spec: Invalid value: no'],
    [
      'has no message of two lines',
      { rule: failed, message: 'no', messageExpression: "'a\\nb'" },
      'spec: Invalid value: no',
    ],
    [
      'has no message with an error',
      { rule: failed, message: 'no', messageExpression: 'string(1 / (self.a - 1))' },
      'spec: Invalid value: no',
    ],
    [
      'tells a failed evaluation',
      { rule: '1 / (self.a - 1) == 1' },
      'spec: Invalid value: "object": division by zero evaluating rule: 1 / (self.a - 1) == 1',
    ],
  ])('%s', async (_what, rule, expected) => {
    const check = checking(objectOf({ a: number, m: { type: 'object', additionalProperties: text } }, rule));
    expect(await check({ spec: { a: 1 } })).toEqual({ errors: [expected], warnings: [] });
    expect(await check({ spec: { a: 2 } })).toEqual({ errors: [], warnings: [] });
  });

  it('shows a scalar value', async () => {
    const check = checking({
      type: 'object',
      properties: { a: { ...number, 'x-kubernetes-validations': [{ rule: 'self > 1' }] } },
    });
    expect((await check({ spec: { a: 1 } })).errors).toEqual(['spec.a: Invalid value: 1: failed rule: self > 1']);
    expect((await check({ spec: { a: null } })).errors).toEqual([]);
  });

  it.each([
    [fieldRequired(FieldPath.of('x'), ''), true],
    [fieldInvalid(FieldPath.of('x'), 1, ''), false],
  ])('comes with errors of the schema that are no base of rules: %#', async (error, isUnchecked) => {
    const { errors } = await checking(objectOf({ a: number }, { rule: failed }))({ spec: { a: 1 }, errors: [error] });
    const unchecked =
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ' +
      'correct the existing errors to complete validation';
    expect(errors).toEqual([isUnchecked ? unchecked : `spec: Invalid value: failed rule: ${failed}`]);
  });
});

describe('the old value', () => {
  const grows: ValidationRule = { rule: 'self.n >= oldSelf.n' };
  const item = { ...objectOf({ k: text, n: number }, grows), required: ['k'] };
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  const places: readonly (Checked & { what: string; schema: JSONSchemaProps; at?: string })[] = [
    { what: 'of an object', schema: objectOf({ n: number }, grows), spec: { n: 1 }, old: { n: 2 }, at: 'spec' },
    { what: 'of a new object', schema: objectOf({ o: item }), spec: { o: { k: 'a', n: 1 } }, old: {} },
    {
      what: 'of an element with a key',
      schema: objectOf({ l: { type: 'array', items: item, ...keyed } }),
      spec: {
        l: [
          { k: 'b', n: 9 },
          { k: 'a', n: 1 },
          { k: 'c', n: 0 },
        ],
      },
      old: {
        l: [
          { k: 'a', n: 2 },
          { k: 'b', n: 3 },
        ],
      },
      at: 'spec.l[1]',
    },
    {
      what: 'of an entry of a map',
      schema: objectOf({ m: { type: 'object', additionalProperties: item } }),
      spec: { m: { 'x.y': { k: '', n: 1 }, z: { k: '', n: 1 } } },
      old: { m: { 'x.y': { k: '', n: 2 } } },
      at: 'spec.m[x.y]',
    },
  ];

  it.each(places)('$what', async ({ schema, spec, old = {}, at }) => {
    const expected = at === undefined ? [] : [`${at}: Invalid value: failed rule: self.n >= oldSelf.n`];
    expect((await checking(schema)({ spec, old })).errors).toEqual(expected);
  });

  it('may be optional', async () => {
    const rule = { rule: 'oldSelf.hasValue() ? self > oldSelf.value() : self == 1', optionalOldSelf: true };
    const check = checking({ type: 'object', properties: { n: { ...number, 'x-kubernetes-validations': [rule] } } });
    const found = [
      await check({ spec: { n: 1 } }),
      await check({ spec: { n: 1 }, old: {} }),
      await check({ spec: { n: 3 }, old: { n: 2 } }),
      await check({ spec: { n: 2 } }),
      await check({ spec: { n: 2 }, old: { n: 2 } }),
    ];
    expect(found.map(({ errors }) => errors.length)).toEqual([0, 0, 0, 1, 1]);
  });
});

describe('an unchanged value', () => {
  const item = objectOf({ k: text, n: number }, { rule: 'self.n > 0' });
  const list = objectOf({ l: { type: 'array', items: item } });
  const members = objectOf({ o: item, x: number });
  const places: readonly (Checked & { what: string; schema: JSONSchemaProps; warned?: string; wrong?: string })[] = [
    { what: 'of a member', schema: members, spec: { o: { n: 0 }, x: 1 }, old: { o: { n: 0 } }, warned: 'spec.o' },
    { what: 'that changed', schema: members, spec: { o: { n: 0, k: 'a' } }, old: { o: { n: 0 } }, wrong: 'spec.o' },
    {
      what: 'in a list without keys',
      schema: list,
      spec: { l: [{ n: 0 }] },
      old: { l: [{ n: 0 }] },
      warned: 'spec.l[0]',
    },
    {
      what: 'in a list that changed',
      schema: list,
      spec: { l: [{ n: 0 }] },
      old: { l: [{ n: 0 }, {}] },
      wrong: 'spec.l[0]',
    },
  ];

  it.each(places)('$what', async ({ schema, spec, old = {}, warned, wrong }) => {
    const reported = (at: string | undefined) =>
      at === undefined ? [] : [`${at}: Invalid value: failed rule: self.n > 0`];
    expect(await checking(schema)({ spec, old })).toEqual({ errors: reported(wrong), warnings: reported(warned) });
  });

  it('keeps errors of rules about its old value', async () => {
    const check = checking(objectOf({ n: number }, { rule: 'self.n > oldSelf.n' }));
    expect((await check({ spec: { n: 1 }, old: { n: 1 } })).errors).toHaveLength(1);
  });

  it('of apiVersion is not known', async () => {
    const apiVersion: JSONSchemaProps = { ...text, 'x-kubernetes-validations': [{ rule: "self == 'b/v1'" }] };
    const check = checking({ type: 'object' }, { properties: { apiVersion } });
    expect((await check({ spec: {}, old: {} })).errors).toHaveLength(1);
  });
});

describe('costs', () => {
  const words: JSONSchemaProps = { type: 'array', items: number };
  /** Costs some 400,000 for 20,000 numbers. */
  const dear: ValidationRule = { rule: 'self.all(a, a == a && a == a && a == a)', message: 'dear' };
  const numbers = Array.from({ length: 20_000 }, (_, i) => i);

  it('of one expression are bounded', async () => {
    const rules = [{ rule: 'self.all(a, self.all(b, a + b >= 0))', message: 'all pairs' }, dear];
    const check = checking({ type: 'object', properties: { l: { ...words, 'x-kubernetes-validations': rules } } });
    expect((await check({ spec: { l: numbers } })).errors).toEqual([
      'spec.l: Invalid value: "array": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be ' +
        'run due to call cost exceeds limit for rule: all pairs',
    ]);
  });

  it('of one object are bounded, and leave turns to others', async () => {
    const rules = Array.from({ length: 60 }, () => dear);
    const check = checking({ type: 'object', properties: { l: { ...words, 'x-kubernetes-validations': rules } } });
    await check({ spec: { l: [] } });
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const { errors } = await check({ spec: { l: numbers } });
    clearInterval(counting);
    expect(errors).toEqual([
      'spec.l: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
    expect(turns).toBeGreaterThan(2);
  });

  it('of errors below a long key end the run, but those of tolerated ones do not', async () => {
    const key = 'k'.repeat(1_000_000);
    const rule: ValidationRule = { rule: "self == 'a'", message: 'not a' };
    const values: JSONSchemaProps = { type: 'array', items: { ...text, 'x-kubernetes-validations': [rule] } };
    const last: JSONSchemaProps = { ...text, 'x-kubernetes-validations': [rule] };
    const map: JSONSchemaProps = { type: 'object', additionalProperties: values };
    const check = checking({ type: 'object', properties: { map, z: last } });
    const spec = { map: { [key]: ['b', 'b', 'b', 'b', 'b'] }, z: 'a' };
    expect((await check({ spec })).errors).toHaveLength(3);
    const { errors, warnings } = await check({ spec: { ...spec, z: 'b' }, old: spec });
    expect([errors, warnings.length]).toEqual([['spec.z: Invalid value: "b": not a'], 3]);
  });
});
