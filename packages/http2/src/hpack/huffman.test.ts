import { describe, expect, it } from 'vitest';
import { huffmanCoded } from '../testing/huffman-coded.js';
import { HuffmanDecoder } from './huffman.js';

const decode = (hex: string) => new HuffmanDecoder().decode(Buffer.from(hex, 'hex'));

describe('HuffmanDecoder', () => {
  // RFC 7541, appendix C.4 and C.6
  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['6402', '302'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['', ''],
  ])('reads %s', (hex, text) => {
    expect(decode(hex)).toBe(text);
  });

  it('reads a string between others, with bytes of long codes', () => {
    // The codes of the bytes 0 (13 bits) and 4 (28 bits), of "a", and two ones.
    expect(new HuffmanDecoder().decode(Buffer.from('00ffc7fffff20f00', 'hex'), 1, 7)).toBe('\x00\x04a');
  });

  it.each([
    ['the end-of-string symbol in a string', 'ffffffff'],
    ['eight bits of padding', '1fff'],
    ['zeros as padding', '18'],
  ])('refuses %s', (_, hex) => {
    expect(() => decode(hex)).toThrow('invalid Huffman code');
  });

  it('reads every byte, also beside every other one', () => {
    const symbols = Array.from({ length: 256 }, (_, byte) => byte);
    for (const first of symbols) {
      const text = symbols.flatMap((second) => [first, second]);
      expect(Buffer.from(new HuffmanDecoder().decode(huffmanCoded(text)), 'latin1')).toEqual(Buffer.from(text));
    }
  });

  it('refuses text that is too long', () => {
    const coded = huffmanCoded([...Buffer.from('hello')]);
    const decoder = new HuffmanDecoder();
    expect(decoder.decode(coded, 0, coded.length, 5)).toBe('hello');
    expect(() => decoder.decode(coded, 0, coded.length, 4)).toThrow('too long');
  });
});
