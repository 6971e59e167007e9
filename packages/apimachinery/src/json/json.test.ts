import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, cloneJsonSteps } from './clone-json.js';
import { equalJson } from './equal-json.js';
import { freezeJson } from './freeze-json.js';
import { getOwn, setOwn } from './set-own.js';

/** JSON values with `__proto__` and other awkward keys among the usual ones. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, '', 'x', 0, 1.5, 9007199254740993n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'constructor', '0'), tie('value')), { maxLength: 4 })
      .map((entries) => {
        const object: Record<string, unknown> = {};
        for (const [key, value] of entries) setOwn(object, key, value);
        return object;
      }),
  ),
})).value;

describe('cloneJson, equalJson, freezeJson', () => {
  it('copies are equal, share no mutable part, and keep the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        const frozen = freezeJson(value);
        const copy = cloneJson(frozen);
        expect(equalJson(copy, frozen)).toBe(true);
        expect(text(copy)).toBe(text(frozen));
        expect(sharesObjects(copy, frozen)).toBe(false);
        expect(isFrozenThrough(frozen)).toBe(true);
      }),
    );
  });

  it('equality agrees with the canonical text', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(equalJson(a, b)).toBe(text(sortKeys(a)) === text(sortKeys(b)));
      }),
    );
  });

  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ toString: 1 }, {}, false],
    [{}, JSON.parse('{"__proto__":{}}'), false],
    [JSON.parse('{"__proto__":{}}'), { a: {} }, false],
    [1, 1n, true],
    [1n, 1.5, false],
    [null, {}, false],
    ['1', 1, false],
  ])('equalJson(%o, %o) is %s', (a, b, equal) => {
    expect([equalJson(a, b), equalJson(b, a)]).toEqual([equal, equal]);
  });

  it('never touches a prototype', () => {
    const target: Record<string, unknown> = {};
    setOwn(target, '__proto__', { polluted: true });
    const copy = cloneJson(target);
    expect([Object.getPrototypeOf(target), Object.getPrototypeOf(copy), getOwn(copy, '__proto__')]).toEqual([
      Object.prototype,
      Object.prototype,
      { polluted: true },
    ]);
    expect([getOwn({}, 'toString'), 'polluted' in {}]).toEqual([undefined, false]);
  });
});

function text(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [`key ${key}`, sortKeys(member)])
    .concat([['object']]);
}

function sharesObjects(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null) return false;
  if (a === b) return true;
  const other = b as Record<string, unknown>;
  return Object.entries(a).some(([key, member]) => sharesObjects(member, getOwn(other, key)));
}

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

describe('cloneJsonSteps', () => {
  it('copies large maps in steps', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, { i, list: [i] }]));
    const source = freezeJson({ many, few: { a: many }, list: [many, null], ['__proto__x']: 1 });
    const steps = cloneJsonSteps(source);
    let pauses = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) pauses++;
    expect(step.value).toEqual(source);
    expect(Object.keys(step.value.few.a)).toEqual(Object.keys(many));
    expect([pauses >= 15, step.value.many === many, step.value.many['k1'] === many['k1']]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
