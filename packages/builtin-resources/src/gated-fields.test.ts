import { describe, expect, it } from 'vitest';
import { droppingFields, gatedFields } from './gated-fields.js';

const fields = gatedFields<object>('a.x', 'b.*.y');

describe('gated fields', () => {
  it.each<[object, boolean]>([
    [{}, false],
    [{ a: {} }, false],
    [{ a: null, b: null }, false],
    [{ a: { x: '' } }, false],
    [{ a: { x: null } }, false],
    [{ a: { x: [] } }, false],
    [{ a: { x: 0 } }, true],
    [{ a: { x: false } }, true],
    [{ b: [{}, { y: 1 }] }, true],
    [{ b: { k: { y: [1] } } }, true],
  ])('of %j are used: %j', (object, used) => expect(fields.isUsed(object)).toBe(used));

  it.each<[object, object | undefined, object]>([
    [{ a: { x: 1, z: 1 }, b: [{ y: 1 }, { z: 1 }] }, undefined, { a: { z: 1 }, b: [{}, { z: 1 }] }],
    [{ a: { x: 1 }, b: { k: { y: 1 } } }, {}, { a: {}, b: { k: {} } }],
    [{ a: { x: 1 } }, { b: [{ y: 1 }] }, { a: { x: 1 } }],
    [{ a: 'text' }, undefined, { a: 'text' }],
    [{ a: { x: null } }, undefined, { a: { x: null } }],
  ])('are dropped from %j, updated from %j', (object, old, expected) => {
    droppingFields([fields])(object, old);
    expect(object).toEqual(expected);
  });
});
