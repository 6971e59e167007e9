import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { expect, it, vi } from 'vitest';
import { BackWriter } from './back-writer.js';

const edges = [1, 2 ** 7, 2 ** 14, 2 ** 31, 2 ** 32, 2 ** 49, 2 ** 53 - 1];
const numbers = [0, ...edges.flatMap((edge) => [edge - 1, edge, -edge, 1 - edge])].filter((n) => !Object.is(n, -0));

it.each(numbers)('writes the varint of %d', (number) => {
  const out = new BackWriter();
  out.varint(number);
  expect([...out.copy()]).toEqual([...new BinaryWriter().int64(number).finish()]);
});

it('writes varints beyond its memory, without a BigInt for each', () => {
  const big = vi.spyOn(BigInt, 'asUintN');
  const out = new BackWriter();
  const count = 4_000;
  for (let i = 0; i < count; i++) out.varint(-1);
  const one = [...new BinaryWriter().int64(-1).finish()];
  expect([out.length, [...out.copy().subarray(-one.length)], big.mock.calls.length]).toEqual([count * 10, one, 0]);
  big.mockRestore();
});
