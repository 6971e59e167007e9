import type { Random } from '../watch/random.ts';
import { RandomExpression, type TypedPath } from './expressions/random-expression.ts';
import { mutated } from './mutated-text.ts';

/** A schema of a CustomResourceDefinition, with any keywords. */
export interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  nullable?: boolean;
  [keyword: string]: unknown;
}

const NAMES = ['a', 'b', 'c', 'd', 'é'] as const;
const FORMATS = [
  ...([
    'date-time',
    'date',
    'duration',
    'email',
    'ipv4',
    'ipv6',
    'cidr',
    'uuid',
    'byte',
    'uri',
    'int32',
    'int64',
  ] as const),
  ...([
    'hostname',
    'mac',
    'uuid4',
    'password',
    'hexcolor',
    'isbn',
    'creditcard',
    'ssn',
    'rgbcolor',
    'float',
    'double',
  ] as const),
  ...(['k8s-short-name', 'k8s-long-name', 'datetime', 'bsonobjectid', 'nonsense'] as const),
] as const;
const DEEPEST = 4;

/** A schema that is valid in most cases. */
export function randomSchema(random: Random, depth = 0): Schema {
  const schema = withoutDecoration(random, depth);
  if (depth > 0 && random.chance(0.12)) schema.nullable = true;
  if (depth > 0 && random.chance(0.12)) schema.default = randomValueOf(random, schema, 0.03);
  if (random.chance(0.05)) schema['description'] = 'text';
  if (random.chance(0.08)) schema['x-kubernetes-validations'] = [randomRule(random, schema)];
  if (random.chance(0.1)) addJunctor(random, schema);
  return schema;
}

function withoutDecoration(random: Random, depth: number): Schema {
  const kind = random.next();
  if (depth === 0 || (depth < DEEPEST && kind < 0.3)) return objectSchema(random, depth);
  if (depth < DEEPEST && kind < 0.38) return mapSchema(random, depth);
  if (depth < DEEPEST && kind < 0.62) return listSchema(random, depth);
  if (kind < 0.66) return intOrStringSchema(random);
  if (kind < 0.69) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (kind < 0.72) return embeddedSchema(random);
  return scalarSchema(random);
}

/** With the junctors that are allowed beside it, at times. */
function intOrStringSchema(random: Random): Schema {
  const types = [{ type: 'integer' }, { type: 'string' }];
  return {
    'x-kubernetes-int-or-string': true,
    ...random.of<Schema>([
      {},
      {},
      { anyOf: types },
      { allOf: [{ anyOf: types }, { pattern: '^[0-9]+%$' }] },
      { pattern: '^x$', maximum: 5, enum: [1, 'x'] },
      { anyOf: [...types].reverse() },
    ]),
  };
}

function objectSchema(random: Random, depth: number): Schema {
  const names = someNames(random, 1 + random.below(4));
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, randomSchema(random, depth + 1)])),
  };
  if (random.chance(0.15)) schema['x-kubernetes-map-type'] = random.of(['atomic', 'granular']);
  if (random.chance(0.1)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  if (random.chance(0.15)) schema.required = [random.of(NAMES)];
  if (random.chance(0.05)) schema['minProperties'] = random.below(3);
  if (random.chance(0.05)) schema['maxProperties'] = random.below(4);
  return schema;
}

function mapSchema(random: Random, depth: number): Schema {
  const schema: Schema = { type: 'object', additionalProperties: randomSchema(random, depth + 1) };
  if (random.chance(0.15)) schema['x-kubernetes-map-type'] = random.of(['atomic', 'granular']);
  if (random.chance(0.2)) schema['maxProperties'] = random.below(4);
  return schema;
}

function listSchema(random: Random, depth: number): Schema {
  const kind = random.of(['atomic', '', 'set', 'map', 'map']);
  const schema: Schema = { type: 'array', items: itemsOf(random, kind, depth) };
  if (kind !== '') schema['x-kubernetes-list-type'] = kind;
  if (kind === 'map') {
    const keys = Object.keys(schema.items?.properties ?? {}).slice(0, random.chance(0.8) ? 1 : 2);
    schema['x-kubernetes-list-map-keys'] = keys;
    if (schema.items && random.chance(0.9)) schema.items.required = keys;
  }
  if (random.chance(0.2)) schema['maxItems'] = random.below(4);
  if (random.chance(0.05)) schema['minItems'] = random.below(3);
  if (random.chance(0.03)) schema['uniqueItems'] = random.chance(0.3);
  return schema;
}

function itemsOf(random: Random, kind: string, depth: number): Schema {
  if (kind === 'map') {
    const names = someNames(random, 2 + random.below(2));
    const [key = 'a', ...others] = names;
    return {
      type: 'object',
      properties: Object.fromEntries([
        [key, random.chance(0.95) ? { type: random.of(['string', 'integer', 'boolean']) } : scalarSchema(random)],
        ...others.map((name) => [name, random.chance(0.5) ? scalarSchema(random) : randomSchema(random, depth + 2)]),
      ]),
    };
  }
  return kind === 'set' && random.chance(0.95) ? scalarSchema(random) : randomSchema(random, depth + 1);
}

function embeddedSchema(random: Random): Schema {
  const schema: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true };
  if (random.chance(0.7)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  else schema.properties = { x: scalarSchema(random), ...(random.chance(0.3) && { metadata: { type: 'object' } }) };
  return schema;
}

function scalarSchema(random: Random): Schema {
  const type = random.of(['string', 'string', 'string', 'integer', 'integer', 'boolean', 'number']);
  const schema: Schema = { type };
  if (type === 'string') addTextKeywords(random, schema);
  else if (type !== 'boolean') addNumberKeywords(random, schema);
  return schema;
}

const ENUMS: readonly [unknown[], ...unknown[][]] = [
  ['x', 'y', 'z'],
  ['', 'a b', 'é"'],
  ['x', null],
];

function addTextKeywords(random: Random, schema: Schema): void {
  const kind = random.next();
  if (kind < 0.25) schema.format = random.of(FORMATS);
  else if (kind < 0.35) schema.enum = random.of(ENUMS);
  else if (kind < 0.45) schema['pattern'] = random.of(['^[a-z]+$', 'x', '^$', '(', '\\d{2,}', 'a{1001}']);
  if (random.chance(0.2)) schema['maxLength'] = random.below(5);
  if (random.chance(0.07)) schema['minLength'] = random.below(4);
}

function addNumberKeywords(random: Random, schema: Schema): void {
  if (random.chance(0.12)) {
    schema['minimum'] = random.of([0, -3, 2, 1.5, 2.0, -1e10]);
    if (random.chance(0.3)) schema['exclusiveMinimum'] = true;
  }
  if (random.chance(0.12)) {
    schema['maximum'] = random.of([0, 9, 5, 5.5, 5e9, 1e21]);
    if (random.chance(0.3)) schema['exclusiveMaximum'] = true;
  }
  if (random.chance(0.07)) schema['multipleOf'] = random.of([2, 0.5, 3, 0.7]);
  if (random.chance(0.1)) schema.format = random.of(['int32', 'int64', 'float', 'double']);
  if (random.chance(0.05)) schema.enum = random.of([[1, 2, 3], [1.5, 2], [10]]);
}

const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

function addJunctor(random: Random, schema: Schema, depth = 0): void {
  const name = random.of(JUNCTORS);
  const validations = Array.from({ length: 1 + random.below(3) }, () => valueValidation(random, schema, depth));
  schema[name] = name === 'not' ? validations[0] : validations;
}

/** Keywords that a junctor may have, and junctors in it. */
function valueValidation(random: Random, { properties = {} }: Schema, depth: number): Schema {
  const [member = 'a', ...members] = Object.keys(properties);
  const below = () => random.of([member, ...members]);
  const validation = random.of<() => Schema>([
    () => ({ required: [random.of(NAMES)] }),
    () => ({ minLength: random.below(3) }),
    () => ({ properties: { [random.of(NAMES)]: depth < 2 ? valueValidation(random, {}, depth + 1) : { minimum: 1 } } }),
    () => ({ maximum: random.below(4), exclusiveMaximum: random.chance(0.5) }),
    () => ({ enum: [random.of<unknown>(['x', 1, null, {}, [1]])] }),
    () => ({ pattern: random.of(['^x', '[0-9]+$', '(']) }),
    () => ({ format: random.of(FORMATS) }),
    () => ({ items: { minimum: 1 }, maxItems: random.below(3) }),
    () => ({ additionalProperties: { maxLength: 2 } }),
    () => ({ maxProperties: random.below(3) }),
    () => ({ type: random.of(['string', 'integer']) }),
    () => ({ uniqueItems: true }),
    () => ({ multipleOf: 2 }),
    () => ({ properties: { [below()]: { enum: ['x'] } }, required: [random.of(NAMES)] }),
    () => ({ properties: { [below()]: { maxLength: 1 }, [below()]: { minItems: 1 } } }),
  ])();
  if (depth < 2 && random.chance(0.2)) addJunctor(random, validation, depth + 1);
  return validation;
}

function someNames(random: Random, count: number): string[] {
  const names: string[] = [...NAMES];
  while (names.length > count) names.splice(random.below(names.length), 1);
  return names;
}

/** A rule about values of a schema. */
export function randomRule(random: Random, schema: Schema): object {
  const paths = pathsOf(schema, 'self', 2);
  const old = random.chance(0.25) ? pathsOf(schema, 'oldSelf', 2) : [];
  const expression = new RandomExpression(random, [...paths, ...old]);
  return {
    rule: random.chance(0.97) ? expression.text('bool') : random.of(['', ' ', 'self', '1', 'true']),
    ...(random.chance(0.3) && { message: random.of(['no', '', ' ', 'two\nlines', 'x'.repeat(30)]) }),
    ...(random.chance(0.2) && { messageExpression: expression.text(random.chance(0.9) ? 'string' : 'int') }),
    ...(random.chance(0.15) && {
      reason: random.of([
        'FieldValueInvalid',
        'FieldValueForbidden',
        'FieldValueRequired',
        'FieldValueDuplicate',
        'Other',
      ]),
    }),
    ...(random.chance(0.1) && {
      fieldPath: random.of(['.a', '.b.c', ".a['b']", 'a', '.', '.a[0]', '.é', "['a']", '.metadata']),
    }),
    ...(random.chance(0.1) && { optionalOldSelf: random.chance(0.7) }),
  };
}

const TEMPLATE_TYPES: Readonly<Record<string, string>> = {
  integer: 'int',
  number: 'double',
  string: 'string',
  boolean: 'bool',
};

/** Paths into a value of a schema, with the types of expressions. */
export function pathsOf(schema: Schema, path: string, depth: number): TypedPath[] {
  const own = { path, type: typeNameOf(schema) };
  if (depth === 0) return [own];
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => /^[a-z]+$/.test(name));
  const item = schema.items && schema.type === 'array' ? pathsOf(schema.items, `${path}[0]`, depth - 1) : [];
  return [
    own,
    ...item,
    ...members.flatMap(([name, property]) => pathsOf(property, `${path}.${name}`, depth - 1)),
    ...members.map(([name]) => ({ path: `has(${path}.${name})`, type: 'bool' })),
  ];
}

function typeNameOf({ type = '', format, items, additionalProperties }: Schema): string {
  if (type === 'array') return items?.type === 'integer' ? 'ints' : items?.type === 'string' ? 'strings' : 'anys';
  if (type === 'object') return additionalProperties?.type === 'integer' ? 'map' : 'any';
  if (format === 'date-time' || format === 'date') return 'timestamp';
  if (format === 'duration') return 'duration';
  return TEMPLATE_TYPES[type] ?? 'any';
}

const TEXTS = ['x', 'y', 'z', 'abc', '', 'xyzzy', 'é😀'] as const;
const FORMATTED = [
  ...([
    '2024-01-01T00:00:00Z',
    '1s',
    '1.2.3.4',
    '10.0.0.0/8',
    '::1',
    'a@b.c',
    'aGk=',
    'http://x/y',
    '2024-02-30',
  ] as const),
  ...([
    '123e4567-e89b-12d3-a456-426614174000',
    '#fff',
    '0',
    '2024-02-29',
    'rgb(1,2,3)',
    '00:11:22:33:44:55',
    'a-b',
    'A_b',
  ] as const),
] as const;
/** Numbers beyond 64 bits are raw texts: JSON of this process cannot hold them. */
const INTEGERS = [0, 1, 2, 3, 5, -1, 8, 10, 100, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1.5] as const;
const DOUBLES = [0, 1, 2, 1.5, -0.5, 0.25, 8, 1e20, 1e-7] as const;
const ODD = [
  null,
  1,
  'q',
  true,
  [],
  {},
  [1],
  { a: 1 },
  1.5,
  -7,
  2 ** 40,
  ['x', 'x'],
  { zz: '1' },
  [null],
  { a: null },
] as const;
const RESOURCES = [
  { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'n' } },
  { apiVersion: 'v1', kind: 'Foo' },
  { kind: 'Foo' },
  { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'Bad_', labels: { a: 'b' } }, x: 1 },
  { apiVersion: 'v1', kind: 'Foo', metadata: { labels: { a: 1 }, unknown: 1, creationTimestamp: null } },
  { apiVersion: 'a/b/c', kind: 'F', metadata: { finalizers: ['x'] } },
  { apiVersion: 'v1', kind: 'Foo', metadata: { annotations: { 'a b': '' }, ownerReferences: [{}] } },
] as const;

/** A value of a schema, or at times another. */
export function randomValueOf(random: Random, schema: Schema, odd = 0.05): unknown {
  return structuredClone(sharedValue(random, schema, odd));
}

function sharedValue(random: Random, schema: Schema, odd: number): unknown {
  if (random.chance(odd)) return random.of(ODD);
  if (schema.nullable && random.chance(0.15)) return null;
  if (schema['x-kubernetes-int-or-string']) return random.of([1, 'x', '50%', -3]);
  if (schema['x-kubernetes-embedded-resource']) return random.of(RESOURCES);
  switch (schema.type) {
    case 'object':
      return schema.additionalProperties
        ? mapValue(random, schema.additionalProperties, odd)
        : objectValue(random, schema, odd);
    case 'array':
      return listValue(random, schema, odd);
    case 'string':
      if (schema.enum && random.chance(0.9)) return random.of(schema.enum as [unknown, ...unknown[]]);
      return randomText(random, schema);
    case 'integer':
      return random.of(INTEGERS);
    case 'number':
      return random.of(DOUBLES);
    case 'boolean':
      return random.chance(0.5);
    default:
      return random.of<unknown>([1, 'x', { k: { l: [1, { m: null }] } }, [1, 'a', [2]], null, true, { k: 1 }]);
  }
}

function randomText(random: Random, { format }: Schema): string {
  const text = random.of<string>(format && random.chance(0.8) ? FORMATTED : TEXTS);
  return format && random.chance(0.3) ? mutated(random, text) : text;
}

function mapValue(random: Random, schema: Schema, odd: number): object {
  const keys = Array.from({ length: random.below(4) }, () => random.of(['k1', 'k2', 'a', 'k.3', 'é', '']));
  return Object.fromEntries(keys.map((key) => [key, sharedValue(random, schema, odd)]));
}

function objectValue(random: Random, { properties = {}, required = [] }: Schema, odd: number): object {
  const members = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] =>
    random.chance(0.65) || required.includes(name) ? [[name, sharedValue(random, schema, odd)]] : [],
  );
  if (odd > 0 && random.chance(0.08)) {
    members.push([random.of(['unknown', 'b']), random.of<unknown>([1, { u: 1 }, 's'])]);
  }
  return Object.fromEntries(members);
}

function listValue(random: Random, { items = {}, ...list }: Schema, odd: number): unknown[] {
  const values = Array.from({ length: random.below(4) }, () => sharedValue(random, items, odd));
  if (list['x-kubernetes-list-type'] === undefined || random.chance(0.2)) return values;
  const keys = (list['x-kubernetes-list-map-keys'] ?? []) as string[];
  const seen = new Set<string>();
  return values.filter((value) => {
    const isObject = typeof value === 'object' && value !== null;
    const key = JSON.stringify(isObject && keys.length > 0 ? keys.map((name) => Reflect.get(value, name)) : value);
    return seen.size < seen.add(key).size;
  });
}
