import { describe, expect, it } from 'vitest';
import { isStatusError } from '../errors/status-error.js';
import type { Json } from '../types/json.js';
import { applyWrittenJsonPatch } from './apply-written-json-patch.js';
import { decodeJsonPatch } from './decode-json-patch.js';

/** The patched document, or the code of the error. */
const patched = (document: Json, patch: string): Json => {
  const operations = decodeJsonPatch(JSON.parse(patch) as Json, 'Ignore');
  try {
    return applyWrittenJsonPatch(document, operations, Buffer.from(patch));
  } catch (error) {
    if (isStatusError(error)) return error.status.code ?? 0;
    throw error;
  }
};
const test = (value: string, path = '/a') => `{"op":"test","path":"${path}","value":${value}}`;

describe('applyWrittenJsonPatch', () => {
  it.each<[Json, string, boolean]>([
    [1, '1', true],
    [1, '1.0', false],
    [1, ' 1 ', true],
    [1.5, '1.5', true],
    [1.5, '1.50', false],
    [1.5, '15e-1', false],
    ['x', '"x"', true],
    ['x', '"\\u0078"', false],
    ['<', '"<"', false],
    ['<', '"\\u003c"', true],
    ['\n', '"\\n"', true],
    [[{ b: 1.5, c: null }], '[ {"c": null, "b": 1.5} ]', true],
    [[{ b: 1.5, c: null }], '[{"b":1.5,"c":1.0}]', false],
    [null, 'null', true],
    [{ b: '&' }, '{"b":"\\u0026"}', true],
  ])('tests %o against %s: %s', (a, value, passes) =>
    expect(patched({ a }, `[${test(value)}]`)).toEqual(passes ? { a } : 422),
  );

  it('compares a value of an earlier operation in its written form', () => {
    const add = '{"op":"add","path":"/b","value":{"c":[1.0,"<"]}}';
    expect(patched({ a: 9007199254740993n }, `[${add},${test('{"c":[1.0,"<"]}', '/b')}]`)).toEqual({
      a: 9007199254740993n,
      b: { c: [1, '<'] },
    });
    expect(patched({}, `[${add},${test('{"c":[1,"<"]}', '/b')}]`)).toBe(422);
  });
});
