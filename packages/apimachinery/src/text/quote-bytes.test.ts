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

it.each(['\xff\n', '\xff\xc3\xa9', '\xff\xf0\x9f\x98\x80'])('decodes all pieces of %j at once', (pair) => {
  const one = quoteBytes(pair).slice(1, -1);
  const decoded = vi.spyOn(Buffer.prototype, 'toString');
  const quoted = quoteBytes(pair.repeat(500));
  expect([quoted, decoded.mock.calls.length]).toEqual([`"${one.repeat(500)}"`, 2]);
  decoded.mockRestore();
});

it('quotes megabytes of text with one byte that is no UTF-8', () => {
  const text = 'a'.repeat(1 << 23);
  expect(quoteBytes(`${text}\xff`)).toBe(`"${text}\\xff"`);
});

it('takes for UTF-8 what decoders take', () => {
  const starts = Array.from({ length: 0x80 }, (_, i) => 0x80 + i);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const bounds = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
  const sequences = starts.flatMap((a) =>
    bounds.flatMap((b) => bounds.flatMap((c) => bounds.map((d) => [a, b, c, d]))),
  );
  const differing = sequences.filter((bytes) => {
    const isText = [2, 3, 4].some((size) => {
      try {
        return [...decoder.decode(Uint8Array.from(bytes.slice(0, size)))].length === 1;
      } catch {
        return false;
      }
    });
    return quoteBytes(String.fromCharCode(...bytes, 0xff)).startsWith(String.raw`"\x`) === isText;
  });
  expect(differing).toEqual([]);
});

it('quotes a megabyte of bytes that are no UTF-8', () => {
  expect(quoteBytes('\xff'.repeat(1 << 20))).toBe(`"${String.raw`\xff`.repeat(1 << 20)}"`);
});
