import { customResourceDefinition, DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { type CustomKind, definitionOf, objectsOf, objectText } from '../custom-kind.ts';
import { CONFIG_MAPS, type HostileCase, KIB, sending } from '../hostile-case.ts';

const GROUP = 'keys.example.com';
/** Part of the path of each value below it. */
const KEY = 'k'.repeat(200 * KIB);

/** A kind with a map of values. */
const mapping = (kind: string, additionalProperties: object): CustomKind => ({
  group: GROUP,
  kind,
  schema: { properties: { map: { type: 'object', maxProperties: 1, additionalProperties } } },
});

/** An object with one entry in its map, whose value is a text in JSON. */
const below = (kind: CustomKind, name: string, value: string) =>
  objectText(kind, name, { map: { [KEY]: 'VALUE' } }).replace('"VALUE"', value);

const repeated = (piece: string, count: number) => Array.from({ length: count }, () => piece).join();

/** The first of the errors is part of a response, in its message and among its causes. */
function faulty(name: string, kind: CustomKind, value: () => string, status: number): HostileCase {
  return {
    name,
    before: [definitionOf(kind)],
    request: (object) =>
      sending('POST', `${objectsOf(kind)}?fieldValidation=Strict`, 'json', below(kind, object, value())),
    status,
    maxResponse: 5 * KEY.length,
  };
}

const texts = { type: 'array', items: { type: 'string' } };
const alternatives = { type: 'array', items: { type: 'string', anyOf: [{ pattern: '^b$' }, { minLength: 2 }] } };
const rule = { rule: "self == 'never'" };
const ruled = {
  type: 'array',
  maxItems: 3_000,
  items: { type: 'string', maxLength: 1, 'x-kubernetes-validations': [rule] },
};

const DEPTH = 280;

/** A value in as many others. */
function nested<T>(last: T, around: (value: T) => T): T {
  let value = last;
  for (let depth = DEPTH; depth > 0; depth--) value = around(value);
  return value;
}

/** A kind whose schema has fields in fields, the last of which is a list of texts. */
const DEEP: CustomKind = {
  group: GROUP,
  kind: 'Deep',
  schema: { properties: { a: nested<object>(texts, (a) => ({ type: 'object', required: ['b'], properties: { a } })) } },
};
const deepValue = (last: string) => ({ a: nested<unknown>(last, (a) => ({ a })) });

/** Schemas in schemas, each of which may not have what it has. */
function nestedSchemas(count: number): object {
  let schema: object = { minLength: 1 };
  for (let i = 0; i < count; i++) schema = { not: schema, type: 'string', description: 'x', default: 'a' };
  return schema;
}

/** Many errors whose fields are long: below a long key, or deep. */
export const KEY_CASES: readonly HostileCase[] = [
  faulty('90,000 wrong items below it', mapping('Text', texts), () => `[${repeated('1', 90_000)}]`, 422),
  faulty(
    '20,000 items below it that are no alternative',
    mapping('Choice', alternatives),
    () => `[${repeated('"a"', 20_000)}]`,
    422,
  ),
  faulty('3,000 broken rules below it', mapping('Rule', ruled), () => `[${repeated('"a"', 3_000)}]`, 422),
  faulty(
    '90,000 duplicate fields below it',
    mapping('Open', { 'x-kubernetes-preserve-unknown-fields': true }),
    () => `{${repeated('"a":1', 90_000)}}`,
    400,
  ),
  {
    name: '40,000 wrong items below 280 fields',
    before: [definitionOf(DEEP)],
    request: (object) => {
      const text = objectText(DEEP, object, deepValue('VALUE')).replace('"VALUE"', `[${repeated('1', 40_000)}]`);
      return sending('POST', objectsOf(DEEP), 'json', text);
    },
    status: 422,
    maxResponse: 700 * KIB,
  },
  {
    name: 'a definition of 900 nested schemas with faults',
    request: (name) => {
      const properties = { text: { type: 'string', not: nestedSchemas(900) } };
      const definition = customResourceDefinition(`${name}.${GROUP}`, 'Nested', { properties });
      return sending('POST', DEFINITIONS, 'json', JSON.stringify(definition));
    },
    status: 422,
    maxResponse: 700 * KIB,
  },
  {
    name: 'a warning about an unknown field of 2.9 MB, with backslashes',
    request: (name) => {
      const object = JSON.stringify({ metadata: { name }, ['\\410x ? '.repeat(300_000)]: null });
      return sending('POST', CONFIG_MAPS, 'json', object);
    },
    status: 201,
  },
];
