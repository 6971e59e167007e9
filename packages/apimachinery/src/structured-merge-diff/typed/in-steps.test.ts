import { describe, expect, it } from 'vitest';
import { list, map, STRING, struct } from '../../schema/builders.js';
import { fieldsV1Of, parseFieldsV1, writeFieldsV1InSteps } from '../field-set/fields-v1.js';
import { mergeTypeOfKind } from '../field-set/merge-type.js';
import { type Comparison, compareTyped, compareTypedInSteps } from './compare-typed.js';
import { mergeTyped, mergeTypedInSteps } from './merge-typed.js';
import { withNamedFields } from './named-fields.js';
import { toFieldSet, toFieldSetInSteps } from './to-field-set.js';
import { validateValue, validateValueInSteps } from './validate-value.js';

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
const type = mergeTypeOfKind({ schema, semantics: 'typed' });

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
    const { steps, value: fields } = counted(writeFieldsV1InSteps(set));
    expect(JSON.stringify(fields)).toBe(expected);
    expect(Object.isFrozen(fields)).toBe(true);
    expect(steps).toBeGreaterThanOrEqual(elements / MOST_IN_A_STEP);
    expect(parseFieldsV1(fields).equals(set)).toBe(true);
  });
});

const keys = (count: number, start = 0) => Object.keys(data(count, '', start));

describe('mergeTypedInSteps', () => {
  it.each<[string, object | undefined, object, number]>([
    ['a new map', undefined, { data: data(MANY, '') }, 0],
    ['a map into another', { data: data(MANY, 'x', 7) }, { data: { ...data(MANY, ''), k3: null } }, MANY],
    ['little into a large map', { data: data(MANY, 'x') }, { data: { a: 'b' } }, MANY],
    ['a new set', undefined, { set: keys(MANY) }, MANY],
    ['a set into another', { set: keys(MANY, 7) }, { set: keys(MANY).reverse() }, 2 * MANY],
    ['keyed items into others', { ports: ports(MANY, 7) }, { ports: ports(MANY) }, 2 * MANY],
    ['many small maps', { maps: maps(200, '') }, { maps: maps(200, 'x') }, 0],
    ['nothing', { data: data(MANY, '') }, {}, 0],
  ])('merges %s as mergeTyped does', (_, live, applied, values) => {
    const { steps, value } = counted(mergeTypedInSteps(type, live, applied));
    expect(JSON.stringify(value)).toBe(JSON.stringify(mergeTyped(type, live, applied)));
    expect(steps).toBeGreaterThanOrEqual(values / MOST_IN_A_STEP);
  });

  it.each<[string, object, string]>([
    ['duplicates', { set: ['a', ...keys(MANY), 'a'] }, '.set: duplicate entries for key [="a"]'],
    ['a wrong member', { data: { ...data(MANY, ''), k3: 7 } }, '.data.k3: rhs: expected string'],
  ])('throws what mergeTyped throws for %s', (_, applied, message) => {
    const live = { set: ['b'], data: { k3: 8 } };
    expect(() => mergeTyped(type, live, applied)).toThrow(message);
    expect(() => counted(mergeTypedInSteps(type, live, applied))).toThrow(message);
  });
});

describe('toFieldSetInSteps', () => {
  it.each<[string, object, number]>([
    ['a map', { data: { ...data(MANY, ''), k3: null } }, MANY],
    ['a set', { set: keys(MANY) }, MANY],
    ['a set with duplicates', { set: ['a', 'a', ...keys(MANY)] }, MANY],
    ['keyed items', { ports: [...ports(MANY), { name: 'empty', target: {} }] }, MANY],
    ['large maps in a map', { maps: { a: data(MANY, ''), b: {}, c: data(MANY, '') } }, 2 * MANY],
    ['nothing', {}, 0],
  ])('finds the fields of %s as toFieldSet does', (_, value, values) => {
    const { steps, value: set } = counted(toFieldSetInSteps(type, value));
    expect(JSON.stringify(fieldsV1Of(set))).toBe(JSON.stringify(fieldsV1Of(toFieldSet(type, value))));
    expect(steps).toBeGreaterThanOrEqual(values / MOST_IN_A_STEP);
  });
});

describe('toFieldSetInSteps with exceptions', () => {
  it.each<[string, object, object]>([
    ['some of a large map', { data: data(MANY, ''), set: ['a'] }, { data: data(MANY - 7, '', 3), set: ['b'] }],
    ['all of a large map', { data: data(MANY, ''), ports: ports(3) }, { data: data(MANY, 'x') }],
    ['others', { data: data(MANY, '') }, { data: data(7, '', MANY), set: ['a'] }],
    ['fields below keys', { maps: { a: data(MANY, '') } }, { maps: { a: data(MANY, '') } }],
    ['little', { data: data(7, ''), ports: ports(2) }, { data: data(3, ''), ports: ports(1) }],
  ])('leaves out no more than %s', (_, value, excepted) => {
    const except = withNamedFields(toFieldSet(type, excepted), type);
    const all = withNamedFields(toFieldSet(type, value), type);
    const { value: set } = counted(toFieldSetInSteps(type, value, { except }));
    expect(withNamedFields(set, type).difference(except).equals(all.difference(except))).toBe(true);
  });

  it('does not have the exceptions', () => {
    const value = { data: data(MANY, '') };
    const except = toFieldSet(type, { data: data(MANY - 7, '') });
    const { value: set } = counted(toFieldSetInSteps(type, value, { except }));
    expect(set.size).toBe(7);
  });
});

describe('toFieldSetInSteps with sets that it may share', () => {
  const known = toFieldSet(type, { data: data(MANY, '') });
  const elements = [...known.entries.keys()];
  const below = (value: object, except = toFieldSet(type, {})) => {
    const { value: set } = counted(toFieldSetInSteps(type, value, { except, like: [known] }));
    expect(set.equals(toFieldSet(type, value).difference(except))).toBe(true);
    return set.below(elements[0] ?? '');
  };
  const shared = known.below(elements[0] ?? '');

  it('shares an equal part', () => {
    expect(below({ data: data(MANY, 'x'), set: ['a'] })).toBe(shared);
    expect(below({ data: data(MANY + 7, '') }, toFieldSet(type, { data: data(7, '', MANY) }))).toBe(shared);
  });

  it.each<[string, object]>([
    ['fewer members', data(MANY - 1, '')],
    ['more members', data(MANY + 1, '')],
    ['as many other members', data(MANY, '', 1)],
  ])('does not share a part with %s', (_, members) => {
    expect(below({ data: members })).not.toBe(shared);
  });
});

describe('validateValueInSteps', () => {
  const options = { allowDuplicates: false };
  const outcomeOf = (validate: () => void) => {
    try {
      validate();
    } catch (error) {
      return (error as Error).message;
    }
    return 'valid';
  };

  it.each<[string, object]>([
    ['a map', { data: data(MANY, '') }],
    ['a set', { set: keys(MANY) }],
    ['a set with duplicates', { set: [...keys(MANY), ...numbers(MANY).map(() => 'a')] }],
    ['a set with null', { set: [...keys(MANY), null, 7] }],
    ['a wrong member', { data: { ...data(MANY, ''), k3: 7 } }],
    ['an undeclared field of an item', { ports: [...ports(MANY), { name: 'a', other: 1 }] }],
    ['wrong members of maps in a map', { maps: { a: { ...data(MANY, ''), k3: 7 } } }],
  ])('finds the faults of %s as validateValue does', (_, value) => {
    const expected = outcomeOf(() => validateValue(type, value, options));
    let steps = 0;
    expect(
      outcomeOf(() => {
        for (const _step of validateValueInSteps(type, value, options)) steps++;
      }),
    ).toBe(expected);
    expect(steps).toBeGreaterThanOrEqual(MANY / MOST_IN_A_STEP);
  });
});
