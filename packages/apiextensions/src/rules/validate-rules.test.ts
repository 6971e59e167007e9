import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import { atOnce } from '@apiserver/apimachinery/clock';
import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateSchema } from '../custom-resource-definition/validation/validate-schema.js';
import { loadRuleEngine } from './load-rule-engine.js';
import type { RuleEngine } from './rule-engine.js';
import { validateExpressions } from './validate-expressions.js';

let engine: RuleEngine;
beforeAll(async () => {
  engine = await loadRuleEngine();
});

const text: JSONSchemaProps = { type: 'string', maxLength: 10 };
const RULES = 'a.x-kubernetes-validations';

function messages(schema: JSONSchemaProps, isStored = false): readonly string[] {
  const faulty = new Set<JSONSchemaProps>();
  const at = FieldPath.of('a');
  const sound = { faultyDefaults: new Set<JSONSchemaProps>(), areDefaultsSound: true };
  const errors = [
    ...validateSchema(schema, at, faulty),
    ...atOnce(validateExpressions({ props: schema, at, faulty, isStored, ...sound }, engine)),
  ];
  return errors.map(fieldErrorMessage);
}

/** The messages about a rule of an object. */
const about = (rule: ValidationRule) =>
  messages({
    type: 'object',
    properties: {
      s: text,
      'a.b': { type: 'object', properties: { c: text } },
      m: { type: 'object', additionalProperties: text },
    },
    'x-kubernetes-validations': [rule],
  });

describe('the fields of a rule', () => {
  it.each<readonly [string, ValidationRule, readonly string[]]>([
    ['no rule', { rule: ' \u0085' }, [`${RULES}[0].rule: Required value: rule is not specified`]],
    [
      'a blank message',
      { rule: 'true', message: ' ' },
      [`${RULES}[0].message: Invalid value: " ": must be non-empty if specified`],
    ],
    [
      'a message of two lines',
      { rule: 'true', message: 'a\r\nb' },
      [`${RULES}[0].message: Invalid value: "a\\r\\nb": must not contain line breaks`],
    ],
    ['line breaks at the ends of a message', { rule: 'true', message: '\na\n' }, []],
    [
      'a rule of two lines without a message',
      { rule: 'true\n&& true' },
      [`${RULES}[0].message: Required value: message must be specified if rule contains line breaks`],
    ],
    ['a rule of two lines with a message', { rule: 'true\n&& true', message: 'a' }, []],
    [
      'a blank message expression',
      { rule: 'true', messageExpression: ' ' },
      [`${RULES}[0].messageExpression: Required value: messageExpression must be non-empty if specified`],
    ],
    [
      'an unknown reason',
      { rule: 'true', reason: '<Bad' },
      [
        `${RULES}[0].reason: Unsupported value: "\\u003cBad": supported values: "FieldValueDuplicate", "FieldValueForbidden", ` +
          '"FieldValueInvalid", "FieldValueRequired"',
      ],
    ],
    [
      'a field path of two lines',
      { rule: 'true', fieldPath: '.s\n' },
      [
        `${RULES}[0].fieldPath: Invalid value: ".s\\n": must not contain line breaks`,
        `${RULES}[0].fieldPath: Invalid value: ".s\\n": must be a valid path`,
      ],
    ],
  ])('%s', (_what, rule, expected) => {
    expect(about(rule)).toEqual(expected);
  });

  it.each([
    ['.s', true],
    ["['s']", true],
    ["['a.b'].c", true],
    [".m['x.y']", true],
    [".m['a\\'b']", true],
    [".m['a\\qb']", false],
    [".m['a'", false],
    [".m['a'}", false],
    [".m['a]", false],
    ['.m[', false],
    ['.m[s]', false],
    ['.m.x.y', false],
    ['s', false],
    ['.a.b', false],
  ])('the field path %s', (fieldPath, isValid) => {
    expect(about({ rule: 'true', fieldPath })).toEqual(
      isValid ? [] : [`${RULES}[0].fieldPath: Invalid value: ${JSON.stringify(fieldPath)}: must be a valid path`],
    );
  });
});

describe('expressions', () => {
  const shown = (rule: string, more: object = {}) =>
    JSON.stringify({
      Rule: rule,
      Message: '',
      MessageExpression: '',
      Reason: null,
      FieldPath: '',
      OptionalOldSelf: null,
      ...more,
    });

  it.each<readonly [string, ValidationRule, readonly string[]]>([
    [
      'an unknown field',
      { rule: 'self.x' },
      [
        `${RULES}[0].rule: Invalid value: ${shown('self.x')}: compilation failed: ERROR: <input>:1:5: undefined field 'x'\n` +
          ' | self.x\n | ....^',
      ],
    ],
    [
      'another type',
      { rule: 'self.s' },
      [`${RULES}[0].rule: Invalid value: ${shown('self.s')}: cel expression must evaluate to a bool`],
    ],
    [
      'a message of another type',
      { rule: 'true', messageExpression: '1' },
      [
        `${RULES}[0].messageExpression: Invalid value: ${shown('true', { MessageExpression: '1' })}: ` +
          'messageExpression must evaluate to a string',
      ],
    ],
    ['a name with special characters', { rule: "self.a__dot__b.c == 'x'" }, []],
    ['the old value', { rule: 'self == oldSelf' }, []],
    ['an optional old value', { rule: 'oldSelf.hasValue()', optionalOldSelf: true }, []],
    [
      'optionalOldSelf without an old value',
      { rule: 'true', optionalOldSelf: false },
      [`${RULES}[0].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`],
    ],
  ])('%s', (_what, rule, expected) => {
    expect(about(rule)).toEqual(expected);
  });

  const transition: JSONSchemaProps = {
    type: 'object',
    properties: { k: text },
    required: ['k'],
    'x-kubernetes-validations': [{ rule: 'self == oldSelf' }],
  };

  it.each<readonly [string, JSONSchemaProps, string | undefined]>([
    ['a list', { type: 'array', items: transition }, 'a'],
    [
      'a list with keys',
      { type: 'array', items: transition, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      undefined,
    ],
    ['a map', { type: 'object', additionalProperties: transition }, undefined],
    [
      'an atomic object',
      { type: 'object', properties: { o: transition }, 'x-kubernetes-map-type': 'atomic' },
      undefined,
    ],
    ['a list in a list', { type: 'array', items: { type: 'array', items: transition } }, 'a'],
  ])('oldSelf in %s', (_what, schema, uncorrelatable) => {
    const reported = messages(schema).map((message) => message.replace(/^.*: Invalid value/, 'Invalid value'));
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    expect(reported).toEqual(uncorrelatable === undefined ? [] : [`Invalid value: "self == oldSelf": ${detail}`]);
  });

  it('are not read in a schema with other faults', () => {
    const faulty: JSONSchemaProps = { type: 'object', 'x-kubernetes-map-type': 'other' };
    const rules = [{ rule: 'self.x' }];
    expect(messages({ type: 'object', properties: { faulty }, 'x-kubernetes-validations': rules })).toHaveLength(1);
  });

  it('have the type of an embedded resource', () => {
    const resource: JSONSchemaProps = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [{ rule: 'self.metadata.name == self.kind' }],
    };
    expect(messages({ type: 'object', properties: { r: resource } })).toEqual([]);
  });
});

describe('costs', () => {
  const pairs = { rule: 'self.all(x, self.all(y, x == y))' };
  const numbers = (maxItems?: number, ...rules: ValidationRule[]): JSONSchemaProps => ({
    type: 'array',
    items: { type: 'integer' },
    ...(maxItems !== undefined && { maxItems }),
    'x-kubernetes-validations': rules,
  });
  const exceeds = (what: string, factor: string) =>
    `Forbidden: ${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and ` +
    'maxLength where arrays, maps, and strings are declared)';
  const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  const contributed =
    'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';

  it.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    ['within the limit', numbers(1000, pairs), []],
    ['above the limit', numbers(1500, pairs), [`${RULES}[0].rule: ${exceeds('estimated rule cost', '1.125750x')}`]],
    ['far above the limit', numbers(2000, pairs), [`${RULES}[0].rule: ${exceeds('estimated rule cost', '2.0x')}`]],
    [
      'without bounds',
      numbers(undefined, pairs),
      [
        `${RULES}[0].rule: ${exceeds('estimated rule cost', 'more than 100x')}`,
        `${RULES}[0].rule: ${contributed}`,
        `a: ${exceeds(total, 'more than 100x')}`,
      ],
    ],
    [
      'of each value in a list',
      { type: 'array', maxItems: 10, items: numbers(500, pairs) },
      [`a.items.x-kubernetes-validations[0].rule: ${exceeds('estimated rule cost', '1.252502x')}`],
    ],
    [
      'of a message',
      numbers(2000, { rule: 'true', messageExpression: `${pairs.rule} ? 'a' : 'b'` }),
      [`${RULES}[0].messageExpression: ${exceeds('estimated messageExpression cost', '2.0x')}`],
    ],
  ])('%s', (_what, schema, expected) => {
    expect(messages(schema)).toEqual(expected);
  });

  it('of a stored rule may stay above the limit', () => {
    expect(messages(numbers(2000, pairs), true)).toEqual([]);
  });

  it('of many rules are bounded together, and the four most expensive are named', () => {
    const dear = Object.fromEntries([1300, 1350, 1250, 1390, 1380].map((most, i) => [`f${i}`, numbers(most, pairs)]));
    const many = {
      type: 'object',
      properties: {
        ...dear,
        ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`g${i}`, numbers(1200, pairs)])),
      },
    };
    expect(messages(many).map((message) => message.replace('.x-kubernetes-validations[0].rule', ''))).toEqual([
      ...['f3', 'f4', 'f1', 'f0'].map((name) => `a.properties[${name}]: ${contributed}`),
      `a: ${exceeds(total, '1.310629x')}`,
    ]);
  });
});

it('elements of an int-or-string have no type inside the scope of a rule', () => {
  const rules = [{ rule: 'self == 1' }];
  const either: JSONSchemaProps = { 'x-kubernetes-int-or-string': true, type: 'object' };
  const rest: JSONSchemaProps = { ...text, 'x-kubernetes-validations': rules };
  const object = (b: JSONSchemaProps): JSONSchemaProps => ({
    type: 'object',
    properties: { b },
    'x-kubernetes-validations': [{ rule: 'true' }],
  });
  const at = 'a.properties[b].additionalProperties.x-kubernetes-validations';
  expect(messages(object({ ...either, additionalProperties: rest }))).toContain(
    `${at}: Internal error: failed to convert to declType for CEL validation rules`,
  );
});
