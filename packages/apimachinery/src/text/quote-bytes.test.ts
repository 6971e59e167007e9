import { expect, it, vi } from 'vitest';
import { quoteBytes } from './quote-bytes.js';

it.each([
  ['', '""'],
  ['a"b\n', String.raw`"a\"b\n"`],
  ['caf\xc3\xa9', '"café"'],
  ['\xff\xfe\x80 \xe9\n', String.raw`"\xff\xfe\x80 \xe9\n"`],
  ['\xc3\xa9\xc3', String.raw`"é\xc3"`],
  ['\xed\xa0\x80', String.raw`"\xed\xa0\x80"`],
  ['\xf4\x90\x80\x80', String.raw`"\xf4\x90\x80\x80"`],
  ['\xffconstructor\x80', String.raw`"\xffconstructor\x80"`],
  ['\0\x06\xff', String.raw`"\x00\x06\xff"`],
])('%j prints as %s', (bytes, quoted) => {
  expect(quoteBytes(bytes)).toBe(quoted);
});

it('makes no buffer for each byte that is no UTF-8, and none for ASCII between', () => {
  const buffers = vi.spyOn(Buffer, 'from');
  const quoted = quoteBytes('\xff\n'.repeat(1_000));
  expect([quoted, buffers.mock.calls.length]).toEqual([`"${String.raw`\xff\n`.repeat(1_000)}"`, 1]);
  buffers.mockRestore();
});

it('quotes a megabyte of bytes that are no UTF-8', () => {
  expect(quoteBytes('\xff'.repeat(1 << 20))).toBe(`"${String.raw`\xff`.repeat(1 << 20)}"`);
});
