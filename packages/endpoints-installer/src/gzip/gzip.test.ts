import { spawnSync } from 'node:child_process';
import { crc32, gunzipSync } from 'node:zlib';
import type { CompressedRun, ListRun, StoredObject } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { ListBody } from '../views/list-body.js';
import { combineCrc32 } from './crc32-combine.js';
import { gzipList } from './gzip-list.js';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  // Long enough for several stored blocks, and compressible or not.
  fc.tuple(fc.nat(150_000), fc.nat(255)).map(([length, fill]) => new Uint8Array(length).fill(fill)),
  fc
    .tuple(fc.nat(70_000), fc.nat(1000))
    .map(([length, seed]) => Uint8Array.from({ length }, (_, i) => (i * i + seed) >> 3)),
);

test('the checksum of two parts is that of both together', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(combineCrc32(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

class TestRun implements ListRun {
  readonly count: number;
  readonly kept = new Map<object | string, CompressedRun>();

  constructor(count: number) {
    this.count = count;
  }

  compressed(form: object | string) {
    return this.kept.get(form);
  }

  keep(form: object | string, run: CompressedRun) {
    this.kept.set(form, run);
  }
}

interface TestItem extends StoredObject {
  readonly content: Uint8Array;
}

function testItem(content: Uint8Array): TestItem {
  return {
    content,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
    resourceVersion: '1',
    byteLength: content.length,
    wire: () => undefined,
  };
}

const contentOf = (stored: StoredObject): Uint8Array => (stored as TestItem).content;

const lists = fc.record({
  items: fc.array(bytes, { minLength: 1, maxLength: 12 }),
  cuts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
  head: bytes,
  between: fc.uint8Array({ maxLength: 2 }),
  tail: fc.uint8Array({ maxLength: 40 }),
  isLengthFirst: fc.boolean(),
});
type TestList = typeof lists extends fc.Arbitrary<infer T> ? T : never;

/** A list as one gzip member, twice: with runs that are compressed first, and as they were kept. */
async function membersOf({ items, cuts, head, between, tail, isLengthFirst }: TestList) {
  const stored = items.map(testItem);
  const runs: TestRun[] = [];
  for (let left = stored.length, i = 0; left > 0; i++) {
    const count = Math.min(left, cuts[i] ?? 1);
    runs.push(new TestRun(count));
    left -= count;
  }
  const length = Buffer.from(`${items.reduce((sum, { length }) => sum + length + between.length, -between.length)}`);
  const body: ListBody = {
    form: 'test',
    between,
    isLengthFirst,
    prepare: () => undefined,
    item: contentOf,
    head: (_, given) => (isLengthFirst ? Buffer.concat([Buffer.from(String(given)), head]) : head),
    tail: () => tail,
  };
  const list = { items: stored, resourceVersion: '1' };
  const write = async () => Buffer.concat(await Array.fromAsync(await gzipList(body, list, runs)));
  const joined = items.flatMap((item, i) => (i === 0 ? [item] : [between, item]));
  const expected = Buffer.concat([isLengthFirst ? length : Buffer.alloc(0), head, ...joined, tail]);
  return { expected, cold: await write(), warm: await write() };
}

describe('a list as a gzip member', () => {
  test('is exactly the list, compressed now or before', async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const { expected, cold, warm } = await membersOf(list);
        expect([gunzipSync(cold).equals(expected), warm.equals(cold)]).toEqual([true, true]);
      }),
    );
  });

  const python = spawnSync('python3', ['-c', 'import gzip']).status === 0;
  // Node ignores what follows a member. Others refuse it.
  test.skipIf(!python)('is one member for the gzip of Python, if there is a python3', async () => {
    const program = `
import sys, zlib
for line in sys.stdin:
    d = zlib.decompressobj(31)
    b = d.decompress(bytes.fromhex(line))
    assert d.eof and d.unused_data == b""
    print(b.hex())
`;
    const members = await Promise.all(fc.sample(lists, 10).map(membersOf));
    const input = members.map(({ cold }) => `${cold.toString('hex')}\n`).join('');
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, maxBuffer: 2 ** 28 });
    const bodies = members.map(({ expected }) => expected.toString('hex'));
    expect([stderr.toString(), stdout.toString().trim().split('\n')]).toEqual(['', bodies]);
  });

  test('shares its runs with a list at the same time', async () => {
    const item = vi.fn(contentOf);
    const none = () => new Uint8Array();
    const parts = { between: none(), isLengthFirst: false, prepare: () => undefined, head: none, tail: none };
    const body: ListBody = { form: 'test', item, ...parts };
    const list = { items: [1, 2, 3].map((byte) => testItem(Uint8Array.of(byte))), resourceVersion: '1' };
    const runs = [new TestRun(1), new TestRun(2)];
    const write = async () => Buffer.concat(await Array.fromAsync(await gzipList(body, list, runs)));
    const members = await Promise.all([write(), write(), write()]);
    expect(members.map((member) => [...gunzipSync(member)])).toEqual(Array(3).fill([1, 2, 3]));
    expect(item).toHaveBeenCalledTimes(3);
  });

  test('fails with an item that cannot be encoded', async () => {
    const broken = { ...testItem(new Uint8Array()), byteLength: 0 };
    const body: ListBody = {
      form: 'test',
      between: new Uint8Array(),
      isLengthFirst: false,
      prepare: () => undefined,
      item: () => {
        throw new TypeError('broken');
      },
      head: () => new Uint8Array(),
      tail: () => new Uint8Array(),
    };
    const list = { items: [broken, broken, broken], resourceVersion: '1' };
    const runs = [new TestRun(1), new TestRun(2)];
    const streamed = Array.fromAsync(await gzipList(body, list, runs));
    await expect(streamed).rejects.toThrow('broken');
    await expect(gzipList({ ...body, isLengthFirst: true }, list, runs)).rejects.toThrow('broken');
    expect(runs.map(({ kept }) => kept.size)).toEqual([0, 0]);
  });
});
