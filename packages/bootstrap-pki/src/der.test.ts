import { describe, expect, it } from 'vitest';
import * as der from './der.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('a length', () => {
  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_536, '0483010000'],
  ])('of %i bytes', (length, head) => {
    const encoded = hex(der.octetString(new Uint8Array(length)));
    expect([encoded.slice(0, head.length), encoded.length]).toEqual([head, head.length + 2 * length]);
  });
});

it.each([
  [[], '0200'],
  [[0], '020100'],
  [[0, 0, 1], '020101'],
  [[0x7f], '02017f'],
  [[0x80], '02020080'],
  [[0, 0xff], '020200ff'],
  [[1, 0], '02020100'],
])('encodes the magnitude %j as %s', (magnitude, expected) => {
  expect(hex(der.unsignedInteger(Buffer.from(magnitude)))).toBe(expected);
});

it.each([
  ['2.5.29.15', '0603551d0f'],
  ['1.2.840.113549', '06062a864886f70d'],
  ['1.3.6.1.4.1.57683.2', '06092b0601040183c25302'],
  ['1.2.127.128.16383.16384', '06092a7f8100ff7f818000'],
])('encodes the identifier %s', (dotted, expected) => {
  expect(hex(der.objectIdentifier(dotted))).toBe(expected);
});

it.each([
  ['1999-01-02T03:04:05.678Z', '17', '990102030405Z'],
  ['2049-12-31T23:59:59Z', '17', '491231235959Z'],
  ['2050-01-01T00:00:00Z', '18', '20500101000000Z'],
])('writes the time %s as %s %s', (text, tag, expected) => {
  const encoded = der.time(new Date(text));
  expect([hex(encoded.subarray(0, 1)), encoded.subarray(2).toString()]).toEqual([tag, expected]);
});

it.each([
  ['sequence', der.sequence(Buffer.from('a'), Buffer.from('b')), '30026162'],
  ['set', der.set(Buffer.from('a')), '310161'],
  ['true', der.boolean(true), '0101ff'],
  ['false', der.boolean(false), '010100'],
  ['whole bytes', der.bitString(Buffer.from('a')), '03020061'],
  ['bits', der.bitString(Buffer.from([0x80]), 7), '03020780'],
  ['text', der.utf8String('ä'), '0c02c3a4'],
  ['explicit', der.explicit(3, Buffer.from('a')), 'a30161'],
  ['implicit', der.implicit(2, Buffer.from('a')), '820161'],
])('encodes %s', (_what, encoded, expected) => {
  expect(hex(encoded)).toBe(expected);
});
