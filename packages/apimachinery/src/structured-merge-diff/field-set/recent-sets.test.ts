import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../types/json.js';
import { parseFieldsV1 } from './fields-v1.js';
import { RecentSets } from './recent-sets.js';

const fields = (): JsonObject => ({ 'f:a': { '.': {}, 'k:{"n":1}': { 'f:b': {} } }, 'x:new': {}, 'f:c': {} });

describe('RecentSets', () => {
  it('finds the set of equal fields again', () => {
    const sets = new RecentSets();
    const set = sets.of(fields());
    expect([set.equals(parseFieldsV1(fields())), sets.of(fields()) === set]).toEqual([true, true]);
  });

  it.each<[string, JsonObject]>([
    ['a key more', { ...fields(), 'f:d': {} }],
    ['a key less', { 'f:a': { '.': {}, 'k:{"n":1}': { 'f:b': {} } }, 'x:new': {} }],
    ['another key', { 'f:a': { '.': {}, 'k:{"n":1}': { 'f:x': {} } }, 'x:new': {}, 'f:c': {} }],
    ['another order', { 'f:c': {}, ...fields() }],
    ['a key below a leaf', { ...fields(), 'f:c': { 'f:b': {} } }],
    ['null for a leaf', { ...fields(), 'f:c': null }],
  ])('makes another set of fields with %s', (_, other) => {
    const sets = new RecentSets();
    const set = sets.of(fields());
    expect([sets.of(other) === set, sets.of(other).equals(parseFieldsV1(other))]).toEqual([false, true]);
  });

  it('keeps no large sets', () => {
    const sets = new RecentSets();
    const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`f:${i}`, {}]));
    const isKept = (length: number) => {
      const set = sets.of(many(length));
      return set === sets.of(many(length));
    };
    expect([isKept(128), isKept(129)]).toEqual([true, false]);
  });

  it('keeps no sets with long keys', () => {
    const sets = new RecentSets();
    const isKept = (length: number) => {
      const single = { [`f:${'a'.repeat(length)}`]: {} };
      const set = sets.of(single);
      return set === sets.of(single);
    };
    expect([isKept(100), isKept(8_190)]).toEqual([true, false]);
  });

  it('keeps sixteen; the last of them makes room for the next', () => {
    const sets = new RecentSets();
    const single = (i: number) => sets.of({ [`f:${i}`]: {} });
    const first = Array.from({ length: 16 }, (_, i) => single(i));
    single(16);
    expect([single(0) === first[0], single(14) === first[14], single(15) === first[15]]).toEqual([true, true, false]);
  });

  it.each<[JsonObject]>([[{ a: {} }], [{ 'f:a': 1 }], [{ 'f:a': [] }]])('refuses %j each time', (broken) => {
    const sets = new RecentSets();
    for (const _ of [1, 2]) expect(() => sets.of(broken)).toThrow();
  });
});
