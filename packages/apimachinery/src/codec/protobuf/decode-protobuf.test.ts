import { expect, it } from 'vitest';
import { map, OMIT_EMPTY, QUANTITY, STRING, struct } from '../../schema/builders.js';
import { defineKind } from '../../schema/define-kind.js';
import { compileKind } from '../compile-kind.js';

const codec = compileKind(
  defineKind(
    ['', 'v1', 'Odd'],
    struct('v1.Odd', 'v1.Odd', () => [
      ['data', 1, map(STRING), OMIT_EMPTY],
      ['amounts', 2, map(QUANTITY), OMIT_EMPTY],
    ]),
  ),
);

/** The object of a message with one entry of a map, or the error. */
function objectOf(entry: string): unknown {
  const bytes = Buffer.from(entry, 'hex');
  return codec.decodeProtobufMessage(Buffer.concat([Buffer.of(0x0a, bytes.length), bytes]), 10_000).object;
}

it('skips fields without a number in entries of maps, as upstream, and nowhere else', () => {
  expect([objectOf('0a016b12017600ff01'), objectOf('0a016b020161120176')]).toEqual([
    { data: { k: 'v' } },
    { data: { k: 'v' } },
  ]);
  expect(() => codec.decodeProtobufMessage(Buffer.from('0001', 'hex'), 10_000)).toThrow('unexpected EOF');
});

it('counts all bits of the length of an unknown field', () => {
  const read = (hex: string) => () => codec.decodeProtobufMessage(Buffer.from(hex, 'hex'), 10_000).object;
  expect(read('320161')()).toEqual({});
  expect(read('3280808080802038003800')).toThrow('unexpected EOF');
});

it('reads a quantity without a text as zero, and refuses an empty text', () => {
  const read = (hex: string) => () => codec.decodeProtobufMessage(Buffer.from(hex, 'hex'), 10_000).object;
  expect(read('12050a016b1200')()).toEqual({ amounts: { k: '0' } });
  expect(read('12070a016b12020a00')).toThrow(/^quantities must match the regular expression/);
});
