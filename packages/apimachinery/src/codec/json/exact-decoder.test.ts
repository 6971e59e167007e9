import { afterAll, describe, expect, it } from 'vitest';
import { map, OMIT_EMPTY, STRING, struct } from '../../schema/builders.js';
import { WorkCounter } from '../../testing/work-counter.js';
import { decodeMessage } from '../protobuf/decode-protobuf.js';
import { decodeExact, decodeUntyped } from './exact-decoder.js';

const work = new WorkCounter();
afterAll(() => work[Symbol.dispose]());

const texts = map(STRING);
const meta = struct('t.Meta', 't.Meta', () => [['labels', 1, texts, OMIT_EMPTY]]);
const schema = struct('t.Object', 't.Object', () => [
  ['meta', 1, meta, OMIT_EMPTY],
  ['data', 2, texts, OMIT_EMPTY],
]);

const decode = (text: string) => decodeExact(Buffer.from(text), schema, false).value;

describe('duplicate keys of a map', () => {
  it.each([
    [
      'are merged, in order of key',
      '{"data":{"b":"1"},"data":{"d":"2","c":"3"},"data":{"a":"4","b":"5"}}',
      'a4 b5 c3 d2',
    ],
    ['may be empty', '{"data":{"b":"1","a":"2"},"data":{}}', 'a2 b1'],
    ['may all be empty', '{"data":{},"data":{}}', undefined],
    ['forget what was before a null', '{"data":{"b":"1"},"data":null,"data":{"a":"2"}}', 'a2'],
  ])('%s', (_what, text, expected) => {
    const { data } = decode(text) as { readonly data?: Readonly<Record<string, string>> };
    const shown = data && Object.entries(data).map(([key, value]) => key + value);
    expect(shown?.join(' ')).toBe(expected);
  });

  it.each([
    ['its own', (labels: string) => `"data":${labels}`, '"data":{}'],
    ['those of the struct around it', (labels: string) => `"meta":{"labels":${labels}}`, '"meta":{}'],
    ['both', (labels: string) => `"meta":{"labels":${labels}}`, '"meta":{"labels":{}}'],
  ])('are merged by what they say, not by the map: %s', (_which, first, again) => {
    const keys = Array.from({ length: 4_000 }, (_, i) => `"key ${i}":""`).join(',');
    const blocks = (count: number) => {
      const text = `{${[first(`{${keys}}`), ...Array.from({ length: count }, () => again)].join(',')}}`;
      return work.count(() => decode(text));
    };
    // A scan of 4,000 keys for each text would be 4,000 blocks.
    expect((blocks(10_000) - blocks(0)) / 10_000).toBeLessThan(400);
  });
});

it('ends the list of strict errors when their paths become long, also those of equal ones', () => {
  const long = 'k'.repeat(200_000);
  const times = (count: number) => Array.from({ length: count }, () => '"a":1').join();
  const strictErrors = (count: number) =>
    decodeUntyped(Buffer.from(`{"${long}":{${times(count)}}}`), true).strictErrors.map((text) => text.length);
  expect([strictErrors(21), strictErrors(22), strictErrors(100)].map(([, ...further]) => further)).toEqual([
    [],
    ['and 1 more error'.length],
    ['and 79 more errors'.length],
  ]);
});

describe('a protobuf message in pieces', () => {
  const label = (key: string) => {
    const entry = Buffer.from(`\n${String.fromCharCode(key.length)}${key}`);
    const labels = Buffer.concat([Buffer.from([0x0a, entry.length]), entry]);
    return Buffer.concat([Buffer.from([0x0a, labels.length]), labels]);
  };
  const decodePieces = (pieces: readonly Buffer[]) =>
    decodeMessage(schema, Buffer.concat(pieces), { kind: 'A', apiVersion: 'v1' });

  it('is merged, in order of key', () => {
    const { meta: merged } = decodePieces(['c', 'a', 'b'].map(label)) as unknown as {
      readonly meta: { readonly labels: object };
    };
    expect(Object.keys(merged.labels)).toEqual(['a', 'b', 'c']);
  });

  it('is merged by the size of its pieces, not of the map', () => {
    const blocks = (count: number) => {
      const pieces = Array.from({ length: count }, (_, i) => label(`key ${(i * 7) % count}`));
      return work.count(() => decodePieces(pieces));
    };
    // A scan of all keys for each piece would take 100 times as many blocks.
    expect(blocks(40_000)).toBeLessThan(20 * blocks(4_000));
  });
});
