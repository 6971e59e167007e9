import { describe, expect, it } from 'vitest';
import { list, map, STRING, struct } from '../../schema/builders.js';
import { fieldsV1Of, parseFieldsV1, writeFieldsV1InSteps } from '../field-set/fields-v1.js';
import { mergeTypeOf } from '../field-set/merge-type.js';
import { type Comparison, compareTyped, compareTypedInSteps } from './compare-typed.js';
import { toFieldSet } from './to-field-set.js';

const port = struct('t.Port', 't.Port', () => [
  ['name', 1, STRING, 1],
  ['target', 2, map(STRING), 1],
]);
const schema = struct('t.Object', 't.Object', () => [
  ['data', 1, map(STRING), 1],
  ['set', 2, list(STRING, 'set'), 1],
  ['ports', 3, list(port, ['name']), 1],
  ['maps', 4, map(map(STRING)), 1],
]);
const type = mergeTypeOf(schema, 'typed');

const MANY = 20_000;
/** Maximum number of values in one step, with the overshoot of the last one. */
const MOST_IN_A_STEP = 2 * 4_096;

const numbers = (count: number, start = 0) => Array.from({ length: count }, (_, i) => i + start);
const data = (count: number, value: string, start = 0) =>
  Object.fromEntries(numbers(count, start).map((i) => [`k${i}`, value]));
const ports = (count: number, start = 0) =>
  numbers(count, start).map((i) => ({ name: `p${i}`, target: { a: `${i}` } }));
const maps = (count: number, value: string) =>
  Object.fromEntries(numbers(count).map((i) => [`m${i}`, data(100, value, i)]));

/** Counts the steps, and returns their result. */
function counted<T>(steps: Generator<void, T>): { readonly steps: number; readonly value: T } {
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done) return { steps: count, value };
  }
}

const written = ({ added, modified, removed }: Comparison) => [added, modified, removed].map(fieldsV1Of);

describe('compareTypedInSteps', () => {
  it.each<[string, object, object, number]>([
    ['what is new', {}, { data: data(MANY, '') }, MANY],
    ['what is changed', { data: data(MANY, '') }, { data: data(MANY, 'x') }, MANY],
    ['what is gone, and what is new', { data: data(MANY, '') }, { data: data(MANY, '', MANY) }, 2 * MANY],
    ['a set', { set: Object.keys(data(MANY, '')) }, { set: Object.keys(data(MANY, '', 7)) }, 2 * MANY],
    ['a set with duplicates', { set: ['a', 'a', ...Object.keys(data(MANY, ''))] }, { set: ['a'] }, MANY],
    ['keyed items', { ports: ports(MANY) }, { ports: ports(MANY, 7) }, 4 * MANY],
    ['many small maps', { maps: maps(200, '') }, { maps: maps(200, 'x') }, MANY],
    ['one of many', { data: { ...data(MANY, ''), k7: 'x' } }, { data: data(MANY, '') }, MANY],
    ['little', { data: { a: 'b' } }, { data: { a: 'c' } }, 1],
  ])('finds %s as compareTyped does', (_, before, after, values) => {
    const { steps, value } = counted(compareTypedInSteps(type, before, after));
    expect(written(value)).toEqual(written(compareTyped(type, before, after)));
    expect(steps).toBeGreaterThanOrEqual(values / MOST_IN_A_STEP);
  });

  it('throws what compareTyped throws', () => {
    const faulty = { set: [null, ...Object.keys(data(MANY, ''))] };
    const message = "element 0: associative list without keys has an element that's an explicit null";
    expect(() => compareTyped(type, {}, faulty)).toThrow(message);
    expect(() => counted(compareTypedInSteps(type, {}, faulty))).toThrow(message);
  });
});

describe('writeFieldsV1InSteps', () => {
  it.each<[string, object, number]>([
    ['keys', { data: data(MANY, '') }, MANY],
    ['values of a set', { set: Object.keys(data(MANY, '')) }, MANY],
    ['items', { ports: ports(MANY) }, 4 * MANY],
    ['nothing', {}, 0],
  ])('writes %s as fieldsV1Of does', (_, value, elements) => {
    const expected = JSON.stringify(fieldsV1Of(toFieldSet(type, value)));
    const set = toFieldSet(type, value);
    const { steps } = counted(writeFieldsV1InSteps(set));
    expect(set.written).toBe(fieldsV1Of(set));
    expect(JSON.stringify(fieldsV1Of(set))).toBe(expected);
    expect(steps).toBeGreaterThanOrEqual(elements / MOST_IN_A_STEP);
    expect(parseFieldsV1(fieldsV1Of(set)).equals(set)).toBe(true);
  });
});
