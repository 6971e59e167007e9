import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson } from '../json/equal-json.js';
import { freezeJson } from '../json/freeze-json.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import { applyMergePatch } from './apply-merge-patch.js';

describe('applyMergePatch', () => {
  it.each<readonly [string, JsonObject, Json, JsonObject]>([
    ['changes', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['removes', { a: 'b', b: 1 }, { a: null }, { b: 1 }],
    ['removes what is missing', {}, { a: null }, {}],
    ['replaces a list', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
    ['replaces by a list', { a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    ['merges deeply', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['drops nulls of a new object', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['drops nulls of an object that takes the place of a scalar', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    ['drops nulls of an object that takes the place of null', { a: null }, { a: { b: null } }, { a: {} }],
    ['keeps a null that the document had', { e: null }, { a: 1 }, { e: null, a: 1 }],
    ['keeps null elements', { a: [1] }, { a: [null, 1] }, { a: [null, 1] }],
    ['drops nulls of objects in a list that replaces a list', { a: [1] }, { a: [{ b: null }] }, { a: [{}] }],
    ['drops nulls of objects in a new list', {}, { a: [{ b: null }] }, { a: [{}] }],
    ['keeps nulls of objects in a list that replaces an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['keeps __proto__ as data', {}, JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
  ])('%s', (_, document, patch, expected) => {
    const result = applyMergePatch(freezeJson(document), freezeJson(patch));
    expect(equalJson(result, expected)).toBe(true);
  });

  it.each<readonly [Json, string]>([
    [null, 'Invalid JSON Patch'],
    [[1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('refuses %o', (patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      expect.objectContaining({ message, status: expect.objectContaining({ code: 400, reason: 'BadRequest' }) }),
    );
  });

  const keys = fc.constantFrom('a', 'b', 'c', '__proto__');
  const { object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.constantFrom<Json>(null, 1, 'x', [1, null]), tie('object')),
    object: fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
  }));

  /** The result is an object if both arguments are. */
  const patched = (document: DeepReadonly<JsonObject>, patch: DeepReadonly<JsonObject>) =>
    applyMergePatch(document, patch) as JsonObject;

  it('is idempotent and shares nothing with its inputs', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const once = patched(freezeJson(document), freezeJson(patch));
        expect(equalJson(patched(once, patch), once)).toBe(true);
        expect(
          Object.values(once).some(
            (member) => typeof member === 'object' && Object.isFrozen(member) && member !== null,
          ),
        ).toBe(false);
      }),
    );
  });

  it('removes every member that the patch deletes, and sets every scalar', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const merged = patched(document, patch);
        for (const [key, value] of Object.entries(patch)) {
          expect(Object.hasOwn(merged, key)).toBe(value !== null);
          if (typeof value === 'number' || typeof value === 'string') expect(merged[key]).toBe(value);
        }
      }),
    );
  });
});
