import type { Schema, StructSchema } from '@apiserver/apimachinery/schema';
import { fieldsOf, sampleValue } from '../spoiled-values.js';

/** One change of a value: its place, its name, and the whole value after it. */
export interface Change {
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}

const DEEPEST = 12;

/** Strings that some rule refuses: for names, labels, addresses, times, paths and their lengths. */
const STRINGS: Readonly<Record<string, string>> = {
  empty: '',
  'a sentence': 'Not Valid!',
  'a label': 'b',
  'a path': '/b/..',
  'an address': '010.0.0.1',
  '64 letters': 'b'.repeat(64),
  '254 letters': 'b'.repeat(254),
};

const INTEGERS = [-1, 0, 1, 101, 65_536, 2_147_483_647];
const QUANTITIES = ['-1', '0', '100m', '1Ei'];
const INTEGERS_OR_STRINGS = [-1, 0, 65_536, '0%', '101%', 'b', 'Not Valid!'];

/**
 * The value in many forms, each with one change. Those below a path of `skipped` are left out. All match the schema.
 */
export function* changesOf(
  schema: Schema,
  value: unknown,
  skipped: readonly string[],
  path = '',
): Generator<Change, void> {
  if (skipped.includes(path) || path.split(/[.[]/).length > DEEPEST) return;
  if (schema.type === 'struct') yield* changedStructs(schema, value, skipped, path);
  else if (schema.type === 'list') yield* changedLists(schema.element, value, skipped, path);
  else if (schema.type === 'map') yield* changedMaps(schema.element, value, skipped, path);
  else for (const [name, changed] of scalars(schema, value)) yield { path, name, value: changed };
}

function* changedStructs(schema: StructSchema, value: unknown, skipped: readonly string[], path: string) {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  for (const { name, schema: inner } of fieldsOf(schema)) {
    const { [name]: present, ...others } = members;
    const place = path === '' ? name : `${path}.${name}`;
    if (skipped.includes(place)) continue;
    if (present !== undefined) {
      yield { path: place, name: 'absent', value: others };
      for (const change of changesOf(inner, present, skipped, place)) {
        yield { ...change, value: { ...members, [name]: change.value } };
      }
    } else {
      const sample = sampleValue(inner);
      if (sample !== undefined) yield { path: place, name: 'any', value: { ...members, [name]: sample } };
    }
  }
}

function* changedLists(element: Schema, value: unknown, skipped: readonly string[], path: string) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  yield { path, name: 'no items', value: [] };
  yield { path, name: 'an item twice', value: [...items, ...items.slice(0, 1)] };
  for (const [index, item] of items.entries()) {
    for (const change of changesOf(element, item, skipped, `${path}[${index}]`)) {
      yield { ...change, value: items.with(index, change.value) };
    }
  }
}

function* changedMaps(element: Schema, value: unknown, skipped: readonly string[], path: string) {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  const [first] = Object.values(members);
  for (const [name, key] of Object.entries(STRINGS)) {
    yield { path, name: `key ${name}`, value: { ...members, [key]: first } };
  }
  for (const [key, member] of Object.entries(members)) {
    for (const change of changesOf(element, member, skipped, `${path}[${key}]`)) {
      yield { ...change, value: { ...members, [key]: change.value } };
    }
  }
}

function* scalars(schema: Schema, value: unknown): Generator<readonly [name: string, value: unknown], void> {
  switch (schema.type) {
    case 'string':
      yield* Object.entries(STRINGS);
      for (const other of schema.enum ?? []) if (other !== value) yield [String(other), other];
      return;
    case 'int32':
    case 'int64':
      for (const integer of INTEGERS) yield [String(integer), integer];
      if (typeof value === 'number') yield ['one more', value + 1];
      return;
    case 'bool':
      yield [String(value !== true), value !== true];
      return;
    case 'intOrString':
      for (const either of INTEGERS_OR_STRINGS) yield [String(either), either];
      return;
    case 'quantity':
      for (const quantity of QUANTITIES) yield [quantity, quantity];
      return;
    case 'bytes':
      yield ['other bytes', 'eA=='];
      return;
    case 'time':
    case 'microTime':
      yield ['another time', '2031-01-01T00:00:00Z'];
      return;
    default:
  }
}
