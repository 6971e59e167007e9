import { messageOf } from '@apiserver/apimachinery/errors';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it, vi } from 'vitest';
import { GrpcError } from '../grpc/grpc-error.js';
import type { Transformer } from '../objects/transformer.js';
import { recordingMetrics } from '../testing/encryption/recording-metrics.js';
import { EncryptionError } from './encryption-error.js';
import { type PrefixTransformer, prefixTransformers } from './prefix-transformers.js';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** Writes the value with its name behind it, and reads it back; `fault` fails both. */
function named(name: string, { fault, stale = false, later = false }: Partial<Faults> = {}): Transformer {
  const fail = (): never => {
    throw new Error(`${name}: ${fault}`);
  };
  return {
    toStorage: (bytes) => (fault === undefined ? Buffer.from(`${text(bytes)}-${name}`) : fail()),
    fromStorage: (bytes) => {
      if (later) return Promise.resolve().then(() => (fault === undefined ? { bytes, stale } : fail()));
      return fault === undefined ? { bytes, stale } : fail();
    },
  };
}

interface Faults {
  readonly fault: string;
  readonly stale: boolean;
  readonly later: boolean;
}

function fixture(...transformers: readonly PrefixTransformer[]) {
  const { logger, lines } = createTestLogger();
  const metrics = recordingMetrics();
  const combined = prefixTransformers({ transformers, noMatch: 'no prefix', resource: 'r', metrics, logger });
  const read = async (stored: string) => {
    try {
      const { bytes, stale } = await combined.fromStorage(Buffer.from(stored), 'key');
      return [text(bytes), stale];
    } catch (error) {
      return messageOf(error);
    }
  };
  const logged = () => lines.map(({ level, message, fields, error }) => [level, message, fields, String(error)]);
  return { combined, read, metrics, logged };
}

it('writes with the first transformer, and reads with that of the prefix', async () => {
  const { combined, read, metrics, logged } = fixture(
    { prefix: 'a:', transformer: named('a') },
    { prefix: 'b:', transformer: named('b') },
    { prefix: 'c:', transformer: named('c', { stale: true, later: true }) },
  );
  expect(text(combined.toStorage(Buffer.from('v'), 'key'))).toBe('a:v-a');
  expect([await read('a:v'), await read('b:v'), await read('c:v'), await read('a'), await read('x:v')]).toEqual([
    ['v', false],
    ['v', true],
    ['v', true],
    'no prefix',
    'no prefix',
  ]);
  expect([metrics.lines, logged()]).toEqual([
    [
      'transformed r to_storage a: OK',
      'transformed r from_storage a: OK',
      'transformed r from_storage b: OK',
      'transformed r from_storage c: OK',
      'transformed r from_storage unknown unknown-non-grpc',
      'transformed r from_storage unknown unknown-non-grpc',
    ],
    [],
  ]);
});

it('reads an empty value', async () => {
  expect(await fixture({ prefix: 'a:', transformer: named('a') }).read('a:')).toEqual(['', false]);
});

it('counts a value that any transformer reads as identity, and one that it writes under its prefix', async () => {
  const { combined, read, metrics } = fixture({ prefix: '', transformer: named('plain') });
  combined.toStorage(Buffer.from('v'), 'key');
  await read('v');
  expect(metrics.lines).toEqual(['transformed r to_storage  OK', 'transformed r from_storage identity OK']);
});

it('measures how long a value took, in seconds', () => {
  const metrics = recordingMetrics();
  using transformed = vi.spyOn(metrics, 'transformed');
  using _now = vi.spyOn(performance, 'now').mockReturnValueOnce(5000).mockReturnValueOnce(7000);
  const { logger } = createTestLogger();
  const transformers = [{ prefix: 'a:', transformer: named('a') }];
  prefixTransformers({ transformers, noMatch: '', resource: 'r', metrics, logger }).toStorage(Buffer.from('v'), 'key');
  expect(transformed.mock.calls[0]?.[1]).toBe(2);
});

it('reports the code of a plugin that failed', async () => {
  const failing = (error: Error): Transformer => ({
    toStorage: () => {
      throw error;
    },
    fromStorage: () => Promise.reject(error),
  });
  const error = new GrpcError(14, 'down', 'unsent');
  const { read, metrics } = fixture({ prefix: 'a:', transformer: failing(error) });
  expect(await read('a:v')).toBe('down');
  expect(metrics.lines).toEqual(['transformed r from_storage a: Unavailable']);
  const wrapped = new EncryptionError('wrapped', new EncryptionError('inner', error));
  const outer = fixture({ prefix: 'a:', transformer: failing(wrapped) });
  expect(await outer.read('a:v')).toBe('wrapped');
  expect(outer.metrics.lines).toEqual(['transformed r from_storage a: Unavailable']);
  expect([wrapped.grpcCode, wrapped.name, new EncryptionError('x', new Error('y')).grpcCode]).toEqual([
    14,
    'EncryptionError',
    undefined,
  ]);
});

it('reports a stale value of the first transformer', async () => {
  expect(await fixture({ prefix: 'a:', transformer: named('a', { stale: true }) }).read('a:v')).toEqual(['v', true]);
});

it('tries each transformer of a prefix, and reports all failures', async () => {
  const { read, metrics, logged } = fixture(
    { prefix: 'a:', transformer: named('one', { fault: 'bad' }) },
    { prefix: '', transformer: named('plain', { fault: 'no' }) },
    { prefix: 'a:', transformer: named('two', { fault: 'worse', later: true }) },
  );
  expect(await read('a:v')).toBe('[one: bad, two: worse]');
  expect([metrics.lines, logged()]).toEqual([
    ['transformed r from_storage a: unknown-non-grpc', 'transformed r from_storage a: unknown-non-grpc'],
    [['error', 'failed to decrypt data', { resource: 'r', key: 'key' }, 'EncryptionError: [one: bad, two: worse]']],
  ]);
});

it('reads with a later transformer after one that failed later', async () => {
  const { read } = fixture(
    { prefix: 'a:', transformer: named('one', { fault: 'bad', later: true }) },
    { prefix: 'a:', transformer: named('two') },
  );
  expect(await read('a:v')).toEqual(['v', true]);
});

it('counts and logs a write that fails', () => {
  const { combined, metrics, logged } = fixture({ prefix: 'a:', transformer: named('a', { fault: 'bad' }) });
  expect(() => combined.toStorage(Buffer.from('v'), 'key')).toThrow('a: bad');
  expect([metrics.lines, logged()]).toEqual([
    ['transformed r to_storage a: unknown-non-grpc'],
    [['error', 'failed to encrypt data', { resource: 'r', key: 'key' }, 'Error: a: bad']],
  ]);
});

it('cannot write without a transformer', () => {
  const { combined } = fixture();
  expect(() => combined.toStorage(Buffer.from('v'), 'key')).toThrow(
    new TypeError('there is no transformer to write with'),
  );
});
