import { randomBytes } from 'node:crypto';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deflater } from './deflater.js';

const inflate = (bytes: Uint8Array) => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });

const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    // Compressible or not, and of more than one chunk.
    fc.tuple(fc.nat(200_000), fc.nat(255)).map(([length, fill]) => new Uint8Array(length).fill(fill)),
    fc.nat(200_000).map((length) => new Uint8Array(randomBytes(length))),
  ),
  { minLength: 1, maxLength: 6 },
);

test('each run can be inflated without the others', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (contents) => {
      const deflater = new Deflater();
      for (const content of [...contents, ...contents]) {
        const { deflated, length, checksum } = await deflater.deflate([content]);
        expect(inflate(deflated).equals(content)).toBe(true);
        expect([length, checksum]).toEqual([content.length, crc32(content)]);
        expect(deflated.buffer.byteLength).toBe(deflated.length);
      }
      const { deflated, length, checksum } = await deflater.deflate(contents);
      const all = Buffer.concat(contents);
      expect([inflate(deflated).equals(all), length, checksum]).toEqual([true, all.length, crc32(all)]);
    }),
    { numRuns: 40 },
  );
});

test('pieces may change once they are taken', async () => {
  const content = Buffer.from('as it was '.repeat(1_000));
  const deflating = new Deflater().deflate([content]);
  content.fill('x');
  expect(inflate((await deflating).deflated).toString()).toBe('as it was '.repeat(1_000));
});

test('runs follow one another in one stream', async () => {
  const deflater = new Deflater();
  const contents = ['first', '', 'second, then first', 'x'.repeat(100_000)].map((text) => Buffer.from(text));
  const deflated: Uint8Array[] = [];
  for (const content of contents) deflated.push((await deflater.deflate([content])).deflated);
  expect(inflate(Buffer.concat(deflated)).equals(Buffer.concat(contents))).toBe(true);
});

test('a repeated run refers to no bytes before it', async () => {
  const deflater = new Deflater();
  const content = randomBytes(20_000);
  const runs = [await deflater.deflate([content]), await deflater.deflate([content])];
  expect(runs[1]?.deflated.length).toBe(runs[0]?.deflated.length);
});
