import { expect, it, onTestFinished, vi } from 'vitest';
import { detached } from '../../own-copy.js';
import { RecentlyWritten } from './recently-written.js';

const head = 'x'.repeat(300);
const same = <V>(value: V) => value;
const bytesOf = (text: string) => Buffer.from(text);

it('converts written bytes once, and others each time', () => {
  const written = new RecentlyWritten<string>(same);
  const made: string[] = [];
  const ask = (text: string) =>
    written.valueOf(bytesOf(text), (bytes) => {
      made.push(bytes.toString());
      return `made of ${bytes}`;
    });
  for (const text of ['a', 'b', `${head}1`, `${head}2`]) written.add(bytesOf(text));
  const requested = ['a', 'b', 'a', `${head}2`, `${head}1`, `${head}2`, 'other', 'other'];
  expect(requested.map(ask)).toEqual(requested.map((text) => `made of ${text}`));
  expect(made).toEqual(['a', 'b', `${head}2`, `${head}1`, 'other', 'other']);
});

it('drops old entries, and does not keep large ones', () => {
  const written = new RecentlyWritten<number>(same);
  let made = 0;
  const ask = (bytes: Buffer) => written.valueOf(bytes, () => ++made);
  const first = bytesOf('first');
  const large = Buffer.alloc(100_000);
  written.add(first);
  written.add(large);
  expect([ask(first), ask(first), ask(large), ask(large)]).toEqual([1, 1, 2, 3]);
  for (let i = 0; i < 256; i++) written.add(bytesOf(`later ${i}`));
  expect(ask(first)).toBe(4);
});

it('keeps a mebibyte, the newest', () => {
  const written = new RecentlyWritten<string>(same);
  const all = Array.from({ length: 30 }, (_, i) => Buffer.alloc(60_000, i));
  for (const bytes of all) written.add(bytes);
  const remembers = (bytes: Buffer) => {
    written.valueOf(bytes, () => 'first');
    return written.valueOf(bytes, () => 'again') === 'first';
  };
  expect(all.map(remembers)).toEqual(all.map((_, i) => i >= 13));
});

it('keeps bytes in memory of their own', () => {
  const written = new RecentlyWritten<Uint8Array>(detached);
  const pooled = bytesOf('small');
  expect(pooled.buffer.byteLength).toBeGreaterThan(pooled.length);
  const compare = vi.spyOn(Buffer, 'compare');
  onTestFinished(() => compare.mockRestore());
  written.add(pooled);
  const value = written.valueOf(bytesOf('small'), () => bytesOf('derived'));
  const [kept] = compare.mock.calls[0] ?? [];
  for (const [bytes, text] of [
    [kept, 'small'],
    [value, 'derived'],
  ] as const) {
    expect(Buffer.from(bytes ?? []).toString()).toBe(text);
    expect(bytes?.buffer.byteLength).toBe(text.length);
  }
  expect(written.valueOf(pooled, () => bytesOf('again'))).toBe(value);
});

it('keeps entries of up to 64 KiB, and compares whole ones', () => {
  const written = new RecentlyWritten<string>(same);
  const [fits, exceeds] = [Buffer.alloc(65_536, 1), Buffer.alloc(65_537, 1)];
  const madeOf = (bytes: Buffer) => {
    let made = 0;
    for (let i = 0; i < 2; i++) written.valueOf(bytes, () => `made ${++made}`);
    return made;
  };
  for (const bytes of [fits, exceeds]) written.add(bytes);
  const other = Buffer.from(fits);
  other[65_535] = 2;
  expect([madeOf(fits), madeOf(exceeds), madeOf(other)]).toEqual([1, 2, 2]);
});

it('keeps the newest of as many as it may, in whatever order they are asked for', () => {
  const written = new RecentlyWritten<number>(same);
  for (let i = 0; i < 300; i++) written.add(bytesOf(`entry ${i}`));
  const isKept = (i: number) => {
    written.valueOf(bytesOf(`entry ${i}`), () => 1);
    return written.valueOf(bytesOf(`entry ${i}`), () => 2) === 1;
  };
  expect([0, 43, 44, 255, 256, 299].map(isKept)).toEqual([false, false, true, true, true, true]);
});
