import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';
import type { TypedPath } from './random-expression.ts';

/** A field of a random schema: values, and the paths to expressions. */
export interface RandomField {
  readonly schema: object;
  /** A value; some do not fit the schema. */
  value(): unknown;
  readonly paths: readonly TypedPath[];
}

type Scalar = readonly [type: string, schema: object, values: readonly [unknown, ...unknown[]]];

const NUMBERS: readonly [unknown, ...unknown[]] = [0, 1, -5, 12, 2 ** 31, 9007199254740991];

const SCALARS: readonly [Scalar, ...Scalar[]] = [
  ['int', { type: 'integer' }, NUMBERS],
  ['int', { type: 'integer', format: 'int64', minimum: 0, maximum: 100 }, NUMBERS],
  ['double', { type: 'number' }, [0, 1.5, -2, 1e300, 12]],
  ['double', { type: 'number', format: 'float' }, [0.1, 3]],
  ['bool', { type: 'boolean' }, [true, false]],
  ['string', { type: 'string' }, ['', 'a', 'héllo', '1', 'a,b', 'A B', '😀x']],
  ['string', { type: 'string', enum: ['a', 'long value', 'é'] }, ['a', 'é']],
  ['string', { type: 'string', format: 'uuid' }, ['123e4567-e89b-12d3-a456-426614174000']],
  ['timestamp', { type: 'string', format: 'date-time' }, ['2024-02-29T01:02:03Z', '2024-02-29 01:02:03+02:00', 'x']],
  ['timestamp', { type: 'string', format: 'date' }, ['2024-02-29', '2024-02-30', '0001-01-01']],
  ['duration', { type: 'string', format: 'duration' }, ['1h', '90s', '1 day', '-1.5h', 'x', '2w']],
  ['bytes', { type: 'string', format: 'byte' }, ['YQ==', '', 'YQ', '*']],
  ['ipText', { type: 'string', format: 'ipv4' }, ['1.2.3.4']],
  ['any', { 'x-kubernetes-int-or-string': true }, [1, 'x', '50%', 1.5]],
  ['any', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, [{}, { a: [1, 'x', 1.5, null] }]],
  ['any', { 'x-kubernetes-preserve-unknown-fields': true }, [1, 'x', {}]],
  [
    'any',
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    [{ apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: { a: 'b' } } }],
  ],
];

/** Names of types of lists and maps, by those of their members. */
const LISTS: Readonly<Record<string, string>> = {
  int: 'ints',
  string: 'strings',
  double: 'doubles',
  bool: 'bools',
  ints: 'nested',
};
const MAPS: Readonly<Record<string, string>> = { int: 'map', map: 'tables' };

/** Names that expressions escape, or cannot write. */
const NAMES = [
  ...[
    'a',
    'b',
    'c',
    'b-c',
    'in',
    'a.b',
    'x/y',
    '__a__',
    'namespace',
    'é',
    '1a',
    'self',
    'A',
    'type',
    'true',
    'a__b',
    '',
  ],
] as [string, ...string[]];

const ESCAPES: Readonly<Record<string, string>> = {
  'b-c': 'b__dash__c',
  in: '__in__',
  'a.b': 'a__dot__b',
  'x/y': 'x__slash__y',
  __a__: '__underscores__a__underscores__',
  namespace: '__namespace__',
  true: '__true__',
  a__b: 'a__underscores__b',
};

/** Most levels of lists, maps and objects. */
const MAX_DEPTH = 3;

/** A field of a random schema with any members. */
export function randomField(random: Random, depth = 0): RandomField {
  const kind = random.next();
  if (depth >= MAX_DEPTH || kind < 0.4) return scalarField(random);
  if (kind < 0.6) return listField(random, depth);
  return kind < 0.75 ? mapField(random, depth) : objectField(random, depth);
}

function typeOf({ paths }: RandomField): string {
  return paths.find(({ path }) => path === '')?.type ?? 'any';
}

function sometimes<T extends object>(random: Random, chance: number, part: T): T | object {
  return random.chance(chance) ? part : {};
}

function misfit(random: Random, value: () => unknown): () => unknown {
  return () => (random.chance(0.01) ? random.of<unknown>([null, 'x', 1, [], {}, true]) : value());
}

function scalarField(random: Random): RandomField {
  const [type, schema, values] = random.of(SCALARS);
  const isText = 'type' in schema && schema.type === 'string';
  const value = () => {
    const found = random.of(values);
    return typeof found === 'string' && random.chance(0.05) ? mutated(random, found) : found;
  };
  return {
    schema: {
      ...schema,
      ...sometimes(random, isText ? 0.3 : 0, { maxLength: random.below(40) }),
      ...sometimes(random, 0.1, { nullable: true }),
    },
    value: misfit(random, value),
    paths: [{ path: '', type }],
  };
}

function listField(random: Random, depth: number): RandomField {
  const item = randomField(random, depth + 1);
  const type = LISTS[typeOf(item)] ?? 'anys';
  const isScalar = !('items' in item.schema || 'properties' in item.schema || 'additionalProperties' in item.schema);
  const isKeyed = 'properties' in item.schema && Object.hasOwn(item.schema.properties as object, 'a');
  return {
    schema: {
      type: 'array',
      items: item.schema,
      ...sometimes(random, 0.4, { maxItems: random.below(20) }),
      ...sometimes(random, 0.2, { 'x-kubernetes-list-type': 'atomic' }),
      ...sometimes(random, isScalar ? 0.3 : 0, { 'x-kubernetes-list-type': 'set' }),
      ...sometimes(random, isKeyed ? 0.6 : 0, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
      ...sometimes(random, 0.05, { nullable: true }),
    },
    value: misfit(random, () => Array.from({ length: random.below(4) }, () => item.value())),
    paths: [
      { path: '', type },
      ...item.paths.map((one) => ({ path: `[${random.below(2)}]${one.path}`, type: one.type })),
      ...item.paths.slice(0, 2).map((one) => ({ path: `.map(i, i${one.path})`, type: LISTS[one.type] ?? 'anys' })),
    ],
  };
}

function mapField(random: Random, depth: number): RandomField {
  const member = randomField(random, depth + 1);
  return {
    schema: {
      type: 'object',
      additionalProperties: member.schema,
      ...sometimes(random, 0.4, { maxProperties: random.below(20) }),
      ...sometimes(random, 0.05, { nullable: true }),
    },
    value: misfit(random, () =>
      Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.of(NAMES), member.value()])),
    ),
    paths: [
      { path: '', type: MAPS[typeOf(member)] ?? 'any' },
      ...member.paths.map((one) => ({ path: `["${random.of(['a', 'b'])}"]${one.path}`, type: one.type })),
      ...member.paths.slice(0, 1).map((one) => ({ path: `.a${one.path}`, type: one.type })),
      { path: '.map(k, k)', type: 'strings' },
    ],
  };
}

function objectField(random: Random, depth: number): RandomField {
  const names = [...new Set(Array.from({ length: 1 + random.below(4) }, () => random.of(NAMES)))];
  const fields = names.map((name) => ({ name, field: randomField(random, depth + 1) }));
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, field }) => [name, field.schema])),
      ...sometimes(random, 0.3, { required: [random.of(NAMES)] }),
      ...sometimes(random, 0.1, { 'x-kubernetes-embedded-resource': true }),
      ...sometimes(random, 0.1, { 'x-kubernetes-preserve-unknown-fields': true }),
      ...sometimes(random, 0.05, { nullable: true }),
    },
    value: misfit(random, () =>
      Object.fromEntries(fields.flatMap(({ name, field }) => (random.chance(0.8) ? [[name, field.value()]] : []))),
    ),
    paths: [
      { path: '', type: 'any' },
      ...fields.flatMap(({ name, field }) => {
        const escaped = ESCAPES[name] ?? name;
        return field.paths.map((one) => ({ path: `.${escaped}${one.path}`, type: one.type }));
      }),
    ],
  };
}
