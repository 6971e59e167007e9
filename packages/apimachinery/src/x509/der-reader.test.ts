import { describe, expect, it } from 'vitest';
import { derTag, readDerElements, readDerString } from './der-reader.js';

describe('a length', () => {
  const content = new Array<number>(0x80).fill(1);
  it.each<[string, number[], number | undefined]>([
    ['in one byte', [0x04, 0x01, 1], 1],
    ['in two bytes', [0x04, 0x81, 0x80, ...content], 0x80],
    ['in more bytes than it needs', [0x04, 0x81, 0x01, 1], undefined],
    ['with a zero before it', [0x04, 0x82, 0x00, 0x80, ...content], undefined],
    ['that is not told', [0x04, 0x80, 0, 0], undefined],
    ['beyond the end', [0x04, 0x02, 1], undefined],
  ])('%s', (_name, bytes, length) => {
    const read = () => readDerElements(Uint8Array.from(bytes)).map((element) => element.content.length);
    if (length === undefined) expect(read).toThrow('x509: malformed certificate');
    else expect(read()).toEqual([length]);
  });
});

it('reads 20,000 elements, and no more', () => {
  expect(readDerElements(new Uint8Array(40_000)).length).toBe(20_000);
  expect(() => readDerElements(new Uint8Array(40_002))).toThrow('x509: malformed certificate');
});

describe('a string', () => {
  it.each<[keyof typeof derTag, string, boolean]>([
    ['printableString', "aZ09 '()+,-./:=?*&", true],
    ['printableString', 'a@b', false],
    ['printableString', 'a_b', false],
    ['printableString', 'a\n', false],
    ['numericString', '01 9', true],
    ['numericString', '1a', false],
    ['ia5String', 'a@b_c', true],
    ['ia5String', '\u00e9', false],
  ])('%s %j', (type, text, isRead) => {
    const content = Buffer.from(text, 'latin1');
    const read = () => readDerString({ tag: derTag[type], content, bytes: content });
    if (isRead) expect(read()).toBe(text);
    else expect(read).toThrow('x509: malformed certificate');
  });

  it('is undefined for another type', () => {
    const content = Uint8Array.of(1);
    expect(readDerString({ tag: derTag.integer, content, bytes: content })).toBeUndefined();
  });
});
