import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Transformed, Transformer } from '../../objects/transformer.js';
import { VECTOR_KEY, VECTOR_PLAINTEXT, VECTORS, WHOLE_BLOCK_VECTOR } from '../../testing/encryption/cipher-vectors.js';
import { EncryptionError } from '../encryption-error.js';
import { aesCbcTransformer } from './aes-cbc.js';
import { aesGcmTransformer } from './aes-gcm.js';
import { extendedNonceGcmTransformer } from './extended-nonce-gcm.js';
import { secretboxTransformer } from './secretbox.js';

const bytes = (length: number, from = 0): Buffer => Buffer.from(Array.from({ length }, (_, i) => from + i));
const plain = Buffer.from(VECTOR_PLAINTEXT);

interface Case {
  readonly vector: string;
  readonly make: (key: Uint8Array) => Transformer;
  readonly size: number;
  /** True if a value is only readable under its own storage key. */
  readonly bound: boolean;
  readonly forged: RegExp;
}

const FORGED = /^cipher: message authentication failed$/;
const gcm = { make: aesGcmTransformer, bound: true, forged: FORGED };
const cbc = { make: aesCbcTransformer, bound: false, forged: /^invalid (PKCS7 data|padding)/ };
const cases: readonly Case[] = [
  ...[16, 24, 32].map((size) => ({ ...gcm, size, vector: `aesgcm-${size * 8}` })),
  ...[16, 24, 32].map((size) => ({ ...cbc, size, vector: `aescbc-${size * 8}` })),
  { make: extendedNonceGcmTransformer, bound: true, forged: FORGED, size: 32, vector: 'seed' },
  {
    make: secretboxTransformer,
    bound: false,
    size: 32,
    vector: 'secretbox',
    forged: /^output array was not large enough for encryption$/,
  },
];

/** These transformers are all synchronous. */
function open(transformer: Transformer, stored: Uint8Array, key = VECTOR_KEY): string {
  const { bytes: read, stale } = transformer.fromStorage(stored, key) as Transformed;
  expect(stale).toBe(false);
  return Buffer.from(read).toString();
}

describe.each(cases)('$vector', ({ vector, make, size, bound, forged }) => {
  const transformer = make(bytes(size));
  const stored = Buffer.from(VECTORS[vector] ?? '', 'hex');

  it("decrypts Go's output", () => {
    expect(open(transformer, stored)).toBe(VECTOR_PLAINTEXT);
  });

  it('round-trips, with a different output each time', () => {
    const written = [0, 1, 15, 16, 17, 1000, 100_000].map((length) => {
      const value = Buffer.alloc(length, 'x');
      const first = transformer.toStorage(value, 'k');
      expect(open(transformer, first, 'k')).toBe(value.toString());
      return first;
    });
    expect(transformer.toStorage(plain, VECTOR_KEY)).not.toEqual(transformer.toStorage(plain, VECTOR_KEY));
    expect(transformer.toStorage(plain, VECTOR_KEY)).toHaveLength(stored.length);
    expect(Buffer.from(written.at(-1) ?? 'xxxx').includes('xxxx')).toBe(false);
  });

  it(bound ? 'is bound to its key' : 'is not bound to its key', () => {
    if (bound) expect(() => open(transformer, stored, '/registry/secrets/ns/b')).toThrow(forged);
    else expect(open(transformer, stored, '/registry/secrets/ns/b')).toBe(VECTOR_PLAINTEXT);
  });

  it('reports the fault of a value', () => {
    const spoilt = Buffer.from(stored);
    spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1;
    expect(() => open(transformer, spoilt)).toThrow(forged);
    expect(() => open(transformer, stored.subarray(0, 8))).toThrow(
      /^the stored data was shorter than the required size$/,
    );
    expect(() => open(make(bytes(size, 1)), stored)).toThrow(forged);
  });
});

/** AES-CBC without padding, after a vector. */
function encrypted(blocks: Buffer): Buffer {
  const vector = bytes(16);
  const cipher = createCipheriv('aes-256-cbc', bytes(32), vector).setAutoPadding(false);
  return Buffer.concat([vector, cipher.update(blocks), cipher.final()]);
}

describe('aesgcm', () => {
  it.each([
    [11, 'the stored data was shorter than the required size'],
    [12, 'cipher: message authentication failed'],
    [27, 'cipher: message authentication failed'],
    [28, 'cipher: message authentication failed'],
  ])('refuses a value of %i bytes', (length, message) => {
    expect(() => open(aesGcmTransformer(bytes(32)), bytes(length))).toThrow(new EncryptionError(message));
  });
});

describe('secretbox', () => {
  it.each([
    [39, 'the stored data was shorter than the required size'],
    [40, 'output array was not large enough for encryption'],
  ])('refuses a value of %i bytes', (length, message) => {
    expect(() => open(secretboxTransformer(bytes(32)), bytes(length))).toThrow(new EncryptionError(message));
  });
});

describe('aescbc', () => {
  it('pads full blocks with one more', () => {
    const transformer = aesCbcTransformer(bytes(32));
    const stored = Buffer.from(WHOLE_BLOCK_VECTOR, 'hex');
    expect(open(transformer, stored)).toBe(bytes(32, 50).toString());
    expect(transformer.toStorage(bytes(32), 'k')).toHaveLength(stored.length);
    expect(() => open(transformer, stored.subarray(0, 40))).toThrow(
      /^the stored data is not a multiple of the block size$/,
    );
  });

  const short = 'the stored data was shorter than the required size';
  const unpadded = 'invalid PKCS7 data (empty or not padded)';
  it.each([
    ['no vector', Buffer.alloc(15), short],
    ['only a vector', Buffer.alloc(16), unpadded],
    ['no padding', encrypted(Buffer.alloc(16)), unpadded],
    ['more padding than bytes', encrypted(Buffer.alloc(16, 17)), unpadded],
    ['padding that is not equal', encrypted(Buffer.from([...Buffer.alloc(14), 1, 2])), 'invalid padding on input'],
  ])('refuses a value with %s', (_, stored, message) => {
    expect(() => open(aesCbcTransformer(bytes(32)), stored)).toThrow(new EncryptionError(message));
  });

  it('reads a value of padding alone', () => {
    expect(open(aesCbcTransformer(bytes(32)), encrypted(Buffer.alloc(16, 16)))).toBe('');
  });
});

describe('secretbox', () => {
  it('is that of NaCl', () => {
    // Key, nonce and message of NaCl's own test (tests/secretbox.out).
    const key = '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389';
    const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37';
    const boxed =
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b' +
      '4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da' +
      '99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';
    const message =
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f4' +
      '1db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52' +
      'f0a089bc76897040e082f937763848645e0705';
    const transformer = secretboxTransformer(Buffer.from(key, 'hex'));
    const read = transformer.fromStorage(Buffer.from(nonce + boxed, 'hex'), 'k') as Transformed;
    expect(Buffer.from(read.bytes).toString('hex')).toBe(message);
  });
});

describe('keys', () => {
  it('have the size that the cipher requires', () => {
    expect(() => aesGcmTransformer(bytes(31))).toThrow(/^crypto\/aes: invalid key size 31$/);
    expect(() => extendedNonceGcmTransformer(bytes(31))).toThrow(/^invalid seed length 31 used for key generation$/);
  });
});
