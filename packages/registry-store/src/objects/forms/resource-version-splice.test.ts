import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { structuralStorage } from '../../semantics/structural-storage.js';
import { typedStorage } from '../../semantics/typed-storage.js';
import { withResourceVersion } from './resource-version-splice.js';

const { comesBeforeVersion: structOrder } = typedStorage.atRest;
const { comesBeforeVersion: sortedOrder } = structuralStorage.atRest;

const cases = [
  ['{"kind":"A","metadata":{}}', '{"kind":"A","metadata":{"resourceVersion":"7"}}'],
  ['{"metadata":{"name":"a","uid":"u"}}', '{"metadata":{"name":"a","uid":"u","resourceVersion":"7"}}'],
  [
    '{"metadata":{"name":"a","namespace":"n","uid":"u","generation":1,"labels":{"uid":"x"}},"data":{}}',
    '{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","generation":1,"labels":{"uid":"x"}},"data":{}}',
  ],
  ['{"metadata":{"labels":{"a":"b"}}}', '{"metadata":{"resourceVersion":"7","labels":{"a":"b"}}}'],
  ['{"metadata":{"name":"a","resourceVersion":"123","x":1}}', '{"metadata":{"name":"a","resourceVersion":"7","x":1}}'],
  [
    String.raw`{"data":{"metadata":"}\\\"{","x":[{"a":"]"}]},"metadata":{"name":"q\"\\"}}`,
    String.raw`{"data":{"metadata":"}\\\"{","x":[{"a":"]"}]},"metadata":{"name":"q\"\\","resourceVersion":"7"}}`,
  ],
  [
    '{"metadata" : { "name" : "a" , "zzz" : 1.5e3 } }',
    '{"metadata" : { "name" : "a" , "resourceVersion":"7","zzz" : 1.5e3 } }',
  ],
] as const;

describe('withResourceVersion', () => {
  it.each(cases)("inserts the version at the place of a struct's field: %s", (bytes, expected) => {
    expect(Buffer.from(withResourceVersion(Buffer.from(bytes), 7, structOrder) ?? []).toString()).toBe(expected);
  });

  it.each(['[]', '"x"', '{}', '{"metadata":"x"}', ''])('recognises objects without metadata: %s', (bytes) => {
    expect(withResourceVersion(Buffer.from(bytes), 7, structOrder)).toBeUndefined();
  });

  it('equals the output of a sorted encoder, for any object', () => {
    const names = fc.constantFrom('annotations', 'name', 'namespace', 'selfLink', 'uid', 'zz', 'resourceVersions', 'a');
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat(),
        (metadata, rest, revision) => {
          const sorted = (value: object) =>
            Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
          const json = (more: object) => JSON.stringify({ ...rest, metadata: sorted({ ...metadata, ...more }) });
          const spliced = withResourceVersion(Buffer.from(json({})), revision, sortedOrder);
          expect(Buffer.from(spliced ?? []).toString()).toBe(json({ resourceVersion: String(revision) }));
        },
      ),
    );
  });
});
