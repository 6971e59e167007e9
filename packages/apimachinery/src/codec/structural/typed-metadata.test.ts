import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { isDecodeError } from '../../errors/decode-error.js';
import { cloneJson } from '../../json/clone-json.js';
import { setOwn } from '../../json/set-own.js';
import {
  BOOL,
  FIELDS_V1,
  INT64,
  list,
  map,
  OMIT_EMPTY,
  OMIT_ZERO,
  POINTER,
  STRING,
  struct,
  TIME,
} from '../../schema/builders.js';
import { exactMetadata, typedMetadata, typedMetadataSteps } from './typed-metadata.js';

const schema = struct('meta.ObjectMeta', 'v1.ObjectMeta', () => [
  ['name', 1, STRING, OMIT_EMPTY],
  ['namespace', 3, STRING, OMIT_EMPTY],
  ['generation', 7, INT64, OMIT_EMPTY],
  ['creationTimestamp', 8, TIME, OMIT_EMPTY | OMIT_ZERO],
  ['deletionTimestamp', 9, TIME, OMIT_EMPTY | POINTER],
  ['deletionGracePeriodSeconds', 10, INT64, OMIT_EMPTY | POINTER],
  ['labels', 11, map(STRING), OMIT_EMPTY],
  ['ownerReferences', 13, list(owner, ['uid']), OMIT_EMPTY],
  ['finalizers', 14, list(STRING, 'set'), OMIT_EMPTY],
  ['managedFields', 17, list(managed, 'atomic'), OMIT_EMPTY],
]);
const owner = struct('meta.OwnerReference', 'v1.OwnerReference', () => [
  ['kind', 1, STRING],
  ['uid', 4, STRING],
  ['controller', 6, BOOL, OMIT_EMPTY | POINTER],
]);
const managed = struct('meta.ManagedFieldsEntry', 'v1.ManagedFieldsEntry', () => [
  ['manager', 1, STRING, OMIT_EMPTY],
  ['time', 4, TIME, OMIT_EMPTY | POINTER],
  ['fieldsV1', 7, FIELDS_V1, OMIT_EMPTY | POINTER],
]);

const time = fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02T03:04:05.5+01:00', '0001-01-01T00:00:00Z');
const text = fc.oneof(fc.constantFrom('', 'a', '<', '\ud800', '\u{1f600}'), fc.string());
const odd = fc.constantFrom<unknown>(null, undefined, 0, -0, 1, 1.5, 5n, 2n ** 63n, true, false, [], {}, [null], {
  a: 1,
});
const key = fc.constantFrom('a', 'b', '10', '9', '__proto__', '\u{1f600}', '\ue000', '\ud800', 'f:a', '.');
const members = (value: fc.Arbitrary<unknown>, names = key) =>
  fc.array(fc.tuple(names, value), { maxLength: 4 }).map((entries) => {
    const object = {};
    for (const [name, member] of entries) setOwn(object, name, member);
    return object;
  });
/** Nearly always of the right type, so that many values are canonical. */
const mostly = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: odd });
const { fields } = fc.letrec((tie) => ({
  fields: fc.oneof({ depthSize: 'small' }, fc.constant({}), members(mostly(tie('fields')))),
}));
const mostlyNone = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const part = (types: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .tuple(fc.shuffledSubarray(Object.keys(types)), fc.record(types), mostlyNone(fc.tuple(key, odd)))
    .map(([names, values, unknown]) => {
      const object = {};
      for (const name of names) setOwn(object, name, values[name]);
      if (unknown !== null) setOwn(object, ...unknown);
      return object;
    });
const metadata = part({
  name: mostly(text),
  namespace: mostly(text),
  generation: mostly(fc.integer()),
  creationTimestamp: mostly(time),
  deletionTimestamp: mostly(fc.constant('2026-01-02T03:04:05Z')),
  deletionGracePeriodSeconds: mostly(fc.constantFrom(0, 30)),
  labels: mostly(members(mostly(text))),
  ownerReferences: mostly(
    fc.array(mostly(part({ kind: text, uid: text, controller: fc.boolean() })), { maxLength: 2 }),
  ),
  finalizers: mostly(fc.array(mostly(text), { maxLength: 2 })),
  managedFields: mostly(
    fc.array(mostly(part({ manager: text, time: mostly(time), fieldsV1: fields })), { maxLength: 2 }),
  ),
});

/** All that a caller can see of the result, the order of keys included. */
function resultOf(read: typeof typedMetadata, value: unknown): unknown {
  try {
    const { metadata: typed, unknown } = read(value, schema);
    return { typed: ordered(typed), unknown };
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return [typeof value, String(value), Object.is(value, -0)];
  return Array.isArray(value)
    ? value.map(ordered)
    : Object.entries(value).map(([name, member]) => [name, ordered(member)]);
}

it('gives the result of the exact decoder, and leaves the value as it is', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 20, arbitrary: metadata }, { weight: 1, arbitrary: odd }), (value) => {
      const before = cloneJson(value);
      const exact = resultOf(exactMetadata, before);
      expect(resultOf(typedMetadata, value)).toEqual(exact);
      expect(ordered(value)).toEqual(ordered(before));
    }),
    { numRuns: fc.readConfigureGlobal()?.numRuns ?? 5_000 },
  );
});

it('needs no text of metadata in canonical order', () => {
  const managedFields = [{ manager: 'a', fieldsV1: { 'f:spec': { '.': {}, 'f:b': {} } } }];
  const value = { name: 'a', creationTimestamp: '2026-01-02T03:04:05Z', labels: { a: 'b' }, managedFields };
  expect(typedMetadata(value, schema).metadata).toBe(value);
});

const MANY = 10_000;
const many = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i));
const manyMembers = (value: unknown) => Object.fromEntries(many((i) => [`k${MANY - i}`, value]));

it.each<[what: string, value: object]>([
  ['labels', { labels: manyMembers('a') }],
  ['labels that are numbers', { labels: manyMembers(1) }],
  ['finalizers', { finalizers: many(String) }],
  ['fields of managers', { managedFields: [{ manager: 'a', fieldsV1: manyMembers({}) }] }],
  ['unknown members', manyMembers(1)],
  ['too few', { labels: { b: 'c', a: null }, odd: 1 }],
])('gives the same in steps: %s', (_, value) => {
  const before = cloneJson(value);
  expect(resultOf((inner, type) => atOnce(typedMetadataSteps(inner, type)), value)).toEqual(
    resultOf(typedMetadata, before),
  );
  expect(ordered(value)).toEqual(ordered(before));
});

it.each<[what: string, value: object]>([
  ['labels', { labels: manyMembers('a') }],
  ['finalizers', { finalizers: many(String) }],
])('pauses in metadata of many %s', (_, value) => {
  const steps = typedMetadataSteps(value, schema);
  let pauses = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) pauses++;
  expect(pauses).toBeGreaterThan(4);
});
