import { describe, expect, it } from 'vitest';
import { isStatusError } from '../errors/status-error.js';
import { BOOL, INT32, list, map, RAW_EXTENSION, STRING, struct } from '../schema/builders.js';
import type { StructSchema } from '../schema/schema.js';
import type { Json } from '../types/json.js';
import { strategicMerge, strategicMergeInSteps } from './strategic-merge.js';

const container: StructSchema = struct('test.Container', 'test.Container', () => [
  ['name', 1, STRING],
  ['image', 2, STRING],
  ['args', 3, list(STRING)],
  ['env', 4, list(env), 0, { patchStrategy: ['merge'], patchMergeKey: 'name' }],
]);
const env: StructSchema = struct('test.Env', 'test.Env', () => [
  ['name', 1, STRING],
  ['value', 2, STRING],
]);
const volume: StructSchema = struct('test.Volume', 'test.Volume', () => [
  ['name', 1, STRING],
  ['emptyDir', 2, map(STRING)],
  ['hostPath', 3, map(STRING)],
]);
const strategy: StructSchema = struct('test.Strategy', 'test.Strategy', () => [
  ['type', 1, STRING],
  ['rolling', 2, map(STRING)],
]);
const schema: StructSchema = struct('test.Object', 'test.Object', () => [
  ['labels', 1, map(STRING)],
  ['finalizers', 2, list(STRING), 0, { patchStrategy: ['merge'] }],
  ['containers', 3, list(container), 0, { patchStrategy: ['merge'], patchMergeKey: 'name' }],
  ['volumes', 4, list(volume), 0, { patchStrategy: ['merge', 'retainKeys'], patchMergeKey: 'name' }],
  ['strategy', 5, strategy, 0, { patchStrategy: ['retainKeys'] }],
  ['selector', 6, strategy, 0, { patchStrategy: ['replace'] }],
  ['tolerations', 7, list(env)],
  ['raw', 8, RAW_EXTENSION],
  ['paused', 9, BOOL],
  ['replicas', 10, INT32],
]);

const a = { name: 'a', image: 'a:1' };
const b = { name: 'b', image: 'b:1' };
const c = { name: 'c', image: 'c:1' };

describe('strategicMerge', () => {
  it.each<[string, Json, Json, Json]>([
    ['scalars', { paused: true, replicas: 1 }, { replicas: 2 }, { paused: true, replicas: 2 }],
    [
      'an ordered list that is new loses its directives',
      {},
      {
        '$setElementOrder/containers': [{ name: 'a' }],
        containers: [a, { $patch: 'delete', name: 'b' }],
      },
      { containers: [a] },
    ],
    [
      'what no order names turns around',
      {},
      { '$setElementOrder/containers': [], containers: [a, b, c] },
      { containers: [c, b, a] },
    ],
    [
      'values are deleted from any list',
      { containers: [{ ...a, args: ['x', 'y', 'x'] }] },
      { containers: [{ name: 'a', '$deleteFromPrimitiveList/args': ['x'] }] },
      { containers: [{ ...a, args: ['y'] }] },
    ],
    ['null deletes', { paused: true, replicas: 1 }, { replicas: null, labels: null }, { paused: true }],
    ['maps merge', { labels: { a: '1', b: '2' } }, { labels: { b: null, c: '3' } }, { labels: { a: '1', c: '3' } }],
    [
      '__proto__ is data',
      { labels: {} },
      JSON.parse('{"labels":{"__proto__":"x"}}'),
      JSON.parse('{"labels":{"__proto__":"x"}}'),
    ],
    ['a new map loses its nulls', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
    ['a new map that is a directive is not kept', {}, { labels: { $patch: 'delete' } }, {}],
    ['another type replaces', { labels: 'x' }, { labels: { a: '1' } }, { labels: { a: '1' } }],
    ['$patch: replace', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
    ['$patch: delete', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    [
      'patchStrategy replace',
      { selector: { type: 'x' } },
      { selector: { rolling: {} } },
      { selector: { rolling: {} } },
    ],
    ['atomic lists', { tolerations: [a] }, { tolerations: [b] }, { tolerations: [b] }],
    [
      'elements merge by key',
      { containers: [a, b] },
      { containers: [{ name: 'b', image: 'b:2' }] },
      { containers: [a, { name: 'b', image: 'b:2' }] },
    ],
    ['new elements go first', { containers: [a, b] }, { containers: [c] }, { containers: [c, a, b] }],
    [
      'patch order wins',
      { containers: [a, b] },
      { containers: [{ name: 'b' }, { name: 'a' }] },
      { containers: [b, a] },
    ],
    [
      'an element is deleted',
      { containers: [a, b] },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [b] },
    ],
    ['a list is replaced', { containers: [a, b] }, { containers: [{ $patch: 'replace' }, c] }, { containers: [c] }],
    ['a list is emptied', { containers: [a] }, { containers: [{ $patch: 'replace' }] }, { containers: [] }],
    [
      'nested lists',
      { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      },
    ],
    ['primitives merge', { finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] }, { finalizers: ['a', 'b', 'c'] }],
    [
      'primitives are taken out',
      { finalizers: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/finalizers': ['b', 'x'] },
      { finalizers: ['a', 'c'] },
    ],
    ['nothing to take out of', {}, { '$deleteFromPrimitiveList/finalizers': ['b'] }, {}],
    [
      'retainKeys clears the rest',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] },
      { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    ],
    [
      'retainKeys of a struct',
      { strategy: { type: 'A', rolling: { x: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'B' } },
      { strategy: { type: 'B' } },
    ],
    [
      'element order',
      { containers: [a, b, c] },
      {
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
        containers: [{ name: 'a', image: 'a:2' }],
      },
      { containers: [c, b, { name: 'a', image: 'a:2' }] },
    ],
    [
      'server-only elements keep their place',
      { containers: [a, b, c] },
      { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] },
      { containers: [b, c, a] },
    ],
    [
      'order of primitives',
      { finalizers: ['a', 'b', 'c'] },
      { '$setElementOrder/finalizers': ['c', 'a'], '$deleteFromPrimitiveList/finalizers': ['b'] },
      { finalizers: ['c', 'a'] },
    ],
    [
      'an added element takes the place of a deleted one, behind those that only the server has',
      { containers: [a, b, c] },
      {
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'd' }],
        containers: [{ name: 'd' }, { name: 'a', $patch: 'delete' }],
      },
      { containers: [b, c, { name: 'd' }] },
    ],
    [
      'further added elements have no place of their own',
      { containers: [a, c] },
      {
        '$setElementOrder/containers': [{ name: 'd' }, { name: 'e' }],
        containers: [{ name: 'd' }, { name: 'e' }, { name: 'a', $patch: 'delete' }],
      },
      { containers: [c, { name: 'd' }, { name: 'e' }] },
    ],
    [
      'an added element precedes those that only the server has if nothing is deleted',
      { containers: [a, c] },
      { '$setElementOrder/containers': [{ name: 'd' }], containers: [{ name: 'd' }] },
      { containers: [{ name: 'd' }, a, c] },
    ],
    [
      'an element that is added twice takes one place',
      { containers: [a, b, c] },
      {
        '$setElementOrder/containers': [{ name: 'd' }, { name: 'd' }, { name: 'e' }],
        containers: [
          { name: 'd' },
          { name: 'd', image: 'd:1' },
          { name: 'e' },
          { name: 'a', $patch: 'delete' },
          { name: 'b', $patch: 'delete' },
        ],
      },
      { containers: [c, { name: 'd', image: 'd:1' }, { name: 'e' }] },
    ],
    ['order of a list that is not there', {}, { '$setElementOrder/containers': [{ name: 'a' }] }, {}],
    [
      'order of a new list',
      {},
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [b, a] },
      { containers: [b, a] },
    ],
  ])('%s', (_, original, patch, expected) => {
    const [originalBefore, patchBefore] = [JSON.stringify(original), JSON.stringify(patch)];
    expect(strategicMerge(schema, original, patch)).toEqual(expected);
    expect([JSON.stringify(original), JSON.stringify(patch)]).toEqual([originalBefore, patchBefore]);
  });

  it.each<[string, Json, Json, number, string]>([
    ['a patch that is no object', {}, [], 400, 'invalid JSON document'],
    [
      'unknown directive',
      { labels: {} },
      { labels: { $patch: 'x', a: '1' } },
      500,
      'unknown patch type: x in map: map[$patch:x a:1]',
    ],
    [
      'unknown directive of an element',
      { containers: [a] },
      { containers: [{ $patch: 'x', name: 'a' }] },
      500,
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      'an element without key',
      { containers: [a] },
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'a deletion without key',
      { containers: [a] },
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'mixed elements',
      { containers: [a] },
      { containers: ['x'] },
      500,
      'list element types are not identical: [[map[image:a:1 name:a]] [x]]',
    ],
    [
      'lists of lists',
      { containers: [] },
      { containers: [['x']] },
      422,
      'the server rejected our request due to an error in our request',
    ],
    [
      'a list in a list of objects',
      { containers: [a] },
      { containers: [['x']] },
      500,
      'list element types are not identical: [[map[image:a:1 name:a]] [[x]]]',
    ],
    [
      'an order of strings for objects without keys',
      {},
      { '$setElementOrder/containers': ['a'], containers: [{ image: 'x' }] },
      500,
      'expected a map[string]interface {}, but received a string',
    ],
    [
      'an order whose second element is a string',
      { containers: [a] },
      { '$setElementOrder/containers': [{ name: 'b' }, 'a'] },
      500,
      'value for key 1 is not a map',
    ],
    [
      'an order of objects without a merge key',
      { tolerations: [a] },
      { '$setElementOrder/tolerations': [], tolerations: [] },
      500,
      'map: map[image:a:1 name:a] does not contain declared merge key: ',
    ],
    ['retainKeys that is no list', {}, { $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys'],
    [
      'retainKeys without a key of the patch',
      { strategy: {} },
      { strategy: { $retainKeys: ['rolling'], type: 'B' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'order that is no list',
      {},
      { '$setElementOrder/containers': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'order that the patch breaks',
      { containers: [a, b] },
      { '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [b, a] },
      500,
      "The order in patch list:\n[map[image:b:1 name:b] map[image:a:1 name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    ],
    [
      'a field of a raw value',
      { raw: { x: { y: 1 } } },
      { raw: { x: { z: 1 } } },
      500,
      'unable to find api field in struct RawExtension for the json field "x"',
    ],
  ])('refuses %s', (...[, original, patch, code, message]) => {
    const refusal = (): unknown => {
      try {
        return strategicMerge(schema, original, patch);
      } catch (error) {
        return isStatusError(error) ? { code: error.status.code, message: error.status.message } : error;
      }
    };
    expect(refusal()).toEqual({ code, message });
  });
});

describe('long lists', () => {
  const names = (prefix: string) => Array.from({ length: 60_000 }, (_, i) => `${prefix}${i}`);
  const named = (prefix: string) => names(prefix).map((name) => ({ name }));

  // Comparing all pairs would take minutes.
  it.each<readonly [string, Json, Json, Json]>([
    ['of texts', { finalizers: names('a') }, { finalizers: names('a') }, { finalizers: names('a') }],
    [
      'of texts to order',
      { finalizers: names('a') },
      { '$setElementOrder/finalizers': names('a').toReversed() },
      { finalizers: names('a').toReversed() },
    ],
    [
      'of texts to delete',
      { finalizers: names('a') },
      { '$deleteFromPrimitiveList/finalizers': names('a') },
      { finalizers: [] },
    ],
    [
      'of objects',
      { containers: named('a') },
      { containers: names('a').map((name) => ({ name, image: 'i' })) },
      { containers: names('a').map((name) => ({ name, image: 'i' })) },
    ],
    [
      'of objects to delete',
      { containers: named('a') },
      { containers: names('a').map((name) => ({ name, $patch: 'delete' })) },
      { containers: [] },
    ],
  ])('%s', (_, original, patch, merged) => {
    expect(JSON.stringify(strategicMerge(schema, original, patch)) === JSON.stringify(merged)).toBe(true);
  });
});

describe('strategicMergeInSteps', () => {
  const labels = (count: number, value: Json, start = 0): { [key: string]: Json } =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i + start}`, value]));
  const outcome = (merge: () => Json) => {
    try {
      return JSON.stringify(merge());
    } catch (error) {
      return String(error);
    }
  };

  it.each<readonly [string, Json, Json]>([
    ['labels', { labels: labels(20_000, 'x') }, { labels: { ...labels(20_000, 'y', 7), k3: null } }],
    [
      'labels that replace others',
      { labels: labels(20_000, 'x') },
      { labels: { ...labels(9_000, ''), $patch: 'replace' } },
    ],
    ['unknown fields', { a: { b: 1 } }, { ...labels(20_000, { c: null, d: 1 }), a: labels(20_000, 1) }],
    ['items with many members', { containers: [{ name: 'a' }] }, { containers: [{ name: 'a', ...labels(9_000, 1) }] }],
    ['a directive that is none', {}, { labels: { ...labels(9_000, ''), $deleteFromPrimitiveListX: [] } }],
    ['little', { labels: { a: '1' } }, { labels: { b: '2' } }],
  ])('merges %s as strategicMerge does', (_, original, patch) => {
    let pauses = 0;
    const inSteps = outcome(() => {
      const steps = strategicMergeInSteps(schema, original, patch);
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
        pauses++;
      }
    });
    expect(inSteps).toBe(outcome(() => strategicMerge(schema, original, patch)));
    expect(pauses).toBeGreaterThanOrEqual(JSON.stringify(patch).length > 100_000 ? 6 : 2);
  });
});
