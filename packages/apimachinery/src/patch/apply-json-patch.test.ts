import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStatusError } from '../errors/status-error.js';
import { freezeJson } from '../json/freeze-json.js';
import type { Json } from '../types/json.js';
import { applyJsonPatch, applyJsonPatchSteps, MAX_JSON_PATCH_COPY_BYTES } from './apply-json-patch.js';
import { decodeJsonPatch, type JsonPatchOperation, MAX_JSON_PATCH_OPERATIONS } from './decode-json-patch.js';

const add = (path: string, value?: Json): JsonPatchOperation => ({
  op: 'add',
  path,
  ...(value === undefined ? {} : { value }),
});
const op = (name: string, path: string, rest: Record<string, Json> = {}): JsonPatchOperation => ({
  op: name,
  path,
  ...rest,
});

describe('applyJsonPatch', () => {
  it.each<readonly [string, Json, readonly JsonPatchOperation[], Json]>([
    ['adds a member', { a: 1 }, [add('/b', 2)], { a: 1, b: 2 }],
    ['replaces a member by adding', { a: 1 }, [add('/a', 2)], { a: 2 }],
    ['adds null for a missing value', {}, [add('/a')], { a: null }],
    ['inserts before an element', [1, 3], [add('/1', 2)], [1, 2, 3]],
    ['appends by -', { l: [1] }, [add('/l/-', 2)], { l: [1, 2] }],
    ['appends by length', [1], [add('/1', 2)], [1, 2]],
    ['counts negative indices from behind the end when adding', [1, 2], [add('/-1', 3)], [1, 2, 3]],
    ['adds at the start by -n-1', [1, 2], [add('/-3', 0)], [0, 1, 2]],
    ['decodes ~1 and ~0 once', { 'a/b': 1, '~1': 2 }, [op('remove', '/a~1b'), op('remove', '/~01')], {}],
    ['ignores what is before the first slash', { a: 1 }, [op('remove', 'x/a')], {}],
    ['takes the empty key', { '': 1 }, [op('replace', '/', { value: 2 })], { '': 2 }],
    ['removes the last element', [1, 2], [op('remove', '/-1')], [1]],
    ['takes indices with leading zeros', [1, 2], [op('remove', '/01')], [1]],
    ['sets a missing member by replacing', {}, [op('replace', '/a', { value: 1 })], { a: 1 }],
    ['replaces the document', { a: 1 }, [op('replace', '', { value: { b: 1 } }), add('/c', 1)], { b: 1, c: 1 }],
    ['moves', { a: 1, b: {} }, [op('move', '/b/c', { from: '/a' })], { b: { c: 1 } }],
    ['moves in a list', [1, 2, 3], [op('move', '/0', { from: '/2' })], [3, 1, 2]],
    [
      'copies, unshared',
      { a: { x: 1 } },
      [op('copy', '/b', { from: '/a' }), add('/b/x', 2)],
      { a: { x: 1 }, b: { x: 2 } },
    ],
    ['copies a missing member as null', {}, [op('copy', '/b', { from: '/a' })], { b: null }],
    [
      'tests members in any order',
      { a: { x: 1, y: [null] } },
      [op('test', '/a', { value: { y: [null], x: 1 } })],
      { a: { x: 1, y: [null] } },
    ],
    ['tests a missing member as null', {}, [op('test', '/a', { value: null })], {}],
    ['tests the document', { a: 1 }, [op('test', '', { value: { a: 1 } })], { a: 1 }],
    [
      'keeps __proto__ as data',
      {},
      [add('/__proto__', { x: 1 }), add('/__proto__/y', 2)],
      JSON.parse('{"__proto__":{"x":1,"y":2}}'),
    ],
    ['does nothing', { a: 1 }, [], { a: 1 }],
  ])('%s', (_, document, operations, expected) => {
    const result = applyJsonPatch(freezeJson(document), freezeJson(operations) as readonly JsonPatchOperation[]);
    expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
  });

  it.each<readonly [string, Json, JsonPatchOperation]>([
    ['a failed test', { a: 1 }, op('test', '/a', { value: 2 })],
    ['a test of the wrong type', { a: 1 }, op('test', '/a', { value: '1' })],
    ['removing what is missing', {}, op('remove', '/a')],
    ['a missing parent', {}, add('/a/b', 1)],
    ['a scalar parent', { a: 1 }, add('/a/b', 1)],
    ['a null parent', { a: null }, add('/a/b', 1)],
    ['an inherited parent', {}, add('/toString/b', 1)],
    ['replacing beyond a list', [1], op('replace', '/1', { value: 2 })],
    ['replacing by -', [1], op('replace', '/-', { value: 2 })],
    ['adding beyond a list', [1], add('/2', 1)],
    ['too negative an index', [1], op('remove', '/-2')],
    ['an index that is no number', [1], op('remove', '/1e0')],
    ['removing the document', {}, op('remove', '')],
    ['adding the document', {}, add('', {})],
    ['a scalar document', {}, op('replace', '', { value: 1 })],
    ['moving into itself', { a: {} }, op('move', '/a/b', { from: '/a' })],
    ['moving what is missing', {}, op('move', '/b', { from: '/a' })],
    ['moving without from', {}, op('move', '/b')],
    ['copying beyond a list', [1], op('copy', '/-', { from: '/5' })],
    ['an unknown operation', {}, op('frobnicate', '/x')],
    ['no operation', {}, { path: '/x' }],
    ['no path', {}, { op: 'add', value: 1 }],
    ['a path that is no text', {}, { op: 'add', path: 1 }],
  ])('refuses %s', (_, document, operation) => {
    expect(statusOf(() => applyJsonPatch(document, [operation]))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  });

  it('bounds the bytes that copies add', () => {
    const document = { a: 'x'.repeat(MAX_JSON_PATCH_COPY_BYTES / 2) };
    const copy = (n: number) => op('copy', `/c${n}`, { from: '/a' });
    expect(statusOf(() => applyJsonPatch(document, [copy(1)]))).toBeUndefined();
    expect(statusOf(() => applyJsonPatch(document, [copy(1), copy(2)]))?.code).toBe(422);
  });

  it('restores the document with the inverse patch', () => {
    const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.string(), value, (document, key, added) => {
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const back = Object.hasOwn(document, key)
          ? { op: 'replace', path, value: (document[key] ?? null) as Json }
          : { op: 'remove', path };
        const test = { op: 'test', path, value: added };
        expect(applyJsonPatch(document, [add(path, added), test, back])).toEqual({ ...document });
      }),
    );
  });
});

it('copies a large map in steps', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']));
  const steps = applyJsonPatchSteps({ data }, [op('copy', '/copy', { from: '/data' })]);
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count++) {
    if (step.done !== true) continue;
    expect(step.value).toEqual({ data, copy: data });
    break;
  }
  expect(count).toBeGreaterThan(4);
});

describe('decodeJsonPatch', () => {
  it.each<readonly [Json, '' | 'Ignore', string]>([
    [
      { op: 'add' },
      '',
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [{ op: 'add' }, 'Ignore', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [true, '', 'error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp'],
    [[1], '', 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [[[]], 'Ignore', 'json: cannot unmarshal array into Go value of type jsonpatch.Operation'],
    [
      [{ path: 1 }],
      '',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('refuses %o under %o', (patch, fieldValidation, message) => {
    const status = statusOf(() => decodeJsonPatch(patch, fieldValidation));
    expect([status?.code, status?.message]).toEqual([400, message]);
  });

  it('reads null as no operation, and an operation of null as an empty one', () => {
    expect([decodeJsonPatch([null, { op: 'add', bogus: 1 }], 'Strict'), decodeJsonPatch(null, '')]).toEqual([
      [{}, { op: 'add', bogus: 1 }],
      [],
    ]);
  });

  it('bounds the number of operations', () => {
    const patch = (length: number) => Array.from({ length }, () => ({ op: 'test', path: '' }));
    expect(decodeJsonPatch(patch(MAX_JSON_PATCH_OPERATIONS), '')).toHaveLength(MAX_JSON_PATCH_OPERATIONS);
    const status = statusOf(() => decodeJsonPatch(patch(MAX_JSON_PATCH_OPERATIONS + 1), ''));
    expect([status?.code, status?.message]).toEqual([
      413,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });
});

describe('long lists', () => {
  const long = Array.from({ length: 3000 }, (_, i) => i);

  it('have the same result as short ones', () => {
    const edited = [...long.slice(0, 1500), 'x', ...long.slice(1501)];
    const operations = [
      add('/l/1500', 'x'),
      op('remove', '/l/1501'),
      op('test', '/l', { value: edited }),
      op('copy', '/copy', { from: '/l' }),
      add('/l/-', { a: 1 }),
      op('replace', '/l/3000/a', { value: 2 }),
      op('replace', '/l/0', { value: 'first' }),
      op('move', '/moved', { from: '/l' }),
      op('remove', '/moved/1'),
    ];
    expect(applyJsonPatch({ l: long }, operations)).toEqual({
      copy: edited,
      moved: ['first', ...edited.slice(2), { a: 2 }],
    });
    expect(() => applyJsonPatch({ l: long }, [add('/l/0', 0), op('test', '/l', { value: long })])).toThrow();
    expect(() => applyJsonPatch({ l: long }, [op('remove', '/l/0'), add('/l/3000', 1)])).toThrow();
  });

  it('take as many insertions as a patch may have', () => {
    const operations = Array.from({ length: MAX_JSON_PATCH_OPERATIONS }, (_, i) => add('/l/0', i));
    const { l } = applyJsonPatch({ l: Array.from({ length: 1_000_000 }, () => 0) }, operations) as { l: Json[] };
    expect([l.length, l[0], l[9999], l[10_000]]).toEqual([1_010_000, 9999, 0, 0]);
  });
});

function statusOf(action: () => unknown) {
  try {
    action();
    return undefined;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return error.status;
  }
}
