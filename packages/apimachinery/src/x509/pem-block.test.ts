import { expect, it } from 'vitest';
import { formatPemBlock, readPemBlock, readPemBlocks } from './pem-block.js';

const text = (...lines: string[]) => `${lines.join('\n')}\n`;
const BYTES = Uint8Array.of(1, 2, 3);

it.each<[string, string, object | undefined]>([
  ['a block', text('-----BEGIN A B-----', 'AQID', '-----END A B-----'), { type: 'A B', headers: {}, rest: '' }],
  ['text around it', text('x', '-----BEGIN A-----', 'AQID', '-----END A-----', 'y'), { type: 'A', rest: 'y\n' }],
  ['headers', text('-----BEGIN A-----', 'k: v', '', 'AQID', '-----END A-----'), { headers: { k: 'v' } }],
  ['carriage returns', '-----BEGIN A-----\r\nAQ\r\nID\r\n-----END A-----\r\n', { type: 'A', rest: '' }],
  ['no last newline', '-----BEGIN A-----\nAQID\n-----END A-----', { type: 'A', rest: '' }],
  [
    'a beginning that never ends',
    text('-----BEGIN B-----', '-----BEGIN A-----', 'AQID', '-----END A-----'),
    { type: 'A' },
  ],
  [
    'what is broken before it',
    text('-----BEGIN B-----', '?', '-----END B-----', '-----BEGIN A-----', 'AQID', '-----END A-----'),
    { type: 'A' },
  ],
  ['other ends', text('-----BEGIN A-----', 'AQID', '-----END B-----'), undefined],
  ['nothing', '', undefined],
  ['half a group', text('-----BEGIN A-----', 'AQI', '-----END A-----'), undefined],
])('%s', (_name, pem, block) => {
  const found = readPemBlock(pem);
  if (block === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(block);
  expect(found && Uint8Array.from(found.bytes)).toEqual(block && BYTES);
});

it('keeps headers whatever their names', () => {
  const pem = text('-----BEGIN A-----', '__proto__: v', '', 'AQID', '-----END A-----');
  expect(Object.entries(readPemBlock(pem)?.headers ?? {})).toEqual([['__proto__', 'v']]);
});

it('skips beginnings without an end', () => {
  expect(readPemBlock('-----BEGIN A-----\n'.repeat(80_000))).toBeUndefined();
});

it('finds every block, and writes them as Go does', () => {
  const long = { type: 'LONG ONE', bytes: new Uint8Array(50).fill(7) };
  const pem = `x\n${formatPemBlock(long)}between\n${formatPemBlock({ type: 'A', bytes: BYTES })}after\n`;
  expect(readPemBlocks(pem).map(({ type, bytes }) => ({ type, bytes: Uint8Array.from(bytes) }))).toEqual([
    long,
    { type: 'A', bytes: BYTES },
  ]);
  expect(formatPemBlock({ type: 'A', bytes: BYTES })).toBe(text('-----BEGIN A-----', 'AQID', '-----END A-----'));
  expect(
    formatPemBlock(long)
      .split('\n')
      .map((line) => line.length),
  ).toEqual([24, 64, 4, 22, 0]);
  expect(readPemBlocks('x')).toEqual([]);
});

it('finds many blocks in linear time', () => {
  const one = formatPemBlock({ type: 'A', bytes: BYTES });
  expect(readPemBlocks(one.repeat(20_000)).length).toBe(20_000);
});
