import { newForbidden, newTooManyRequests, plainFailure } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_BYTES, ChunkMemory } from '../scope/chunk-memory.js';
import { createTestExchange } from '../testing/index.js';
import { chunkPieces } from './chunk-pieces.js';
import { indentJson, indentPieces } from './indent-json.js';
import { respondPieces } from './respond-bytes.js';
import { respondError, respondErrorInTurns } from './respond-error.js';

describe('indentJson', () => {
  test('is what an indenting encoder writes, however the document is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), (value, size) => {
        const compact = Buffer.from(JSON.stringify(value));
        const pieces = Array.from({ length: Math.ceil(compact.length / size) }, (_, i) =>
          compact.subarray(i * size, (i + 1) * size),
        );
        const expected = JSON.stringify(value, null, 2);
        expect(Buffer.concat([...indentPieces(pieces)]).toString()).toBe(expected);
        expect(Buffer.from(indentJson(compact)).toString()).toBe(expected);
      }),
    );
  });
});

test('chunkPieces keeps every byte, in order, in chunks of bounded size', () => {
  const sizes = fc.array(fc.oneof(fc.nat(50), fc.nat(CHUNK_BYTES * 2)), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const pieces = lengths.map((length, i) => Buffer.alloc(length, i + 1));
      const chunks = [...chunkPieces(pieces)];
      expect(Buffer.concat(chunks).equals(Buffer.concat(pieces))).toBe(true);
      const largest = Math.max(CHUNK_BYTES, ...lengths);
      expect(chunks.every(({ length }) => length > 0 && length <= largest)).toBe(true);
      // No two neighbours would have fitted into one chunk.
      expect(
        chunks.every(
          ({ length }, i) =>
            length + (chunks[i + 1]?.length ?? CHUNK_BYTES) >= CHUNK_BYTES / 2 || i === chunks.length - 1,
        ),
      ).toBe(true);
    }),
    { numRuns: fc.readConfigureGlobal()?.numRuns ?? 30 },
  );
});

test('chunkPieces writes where a chunk was that is given back, and never into pieces that passed as they were', () => {
  const piece = Buffer.alloc(3000, 1);
  const large = Buffer.alloc(CHUNK_BYTES, 2);
  const memory = new ChunkMemory();
  const used = new Set<ArrayBufferLike>();
  const bytes: Buffer[] = [];
  const pieces = [...Array<Buffer>(500).fill(piece), large, ...Array<Buffer>(500).fill(piece)];
  for (const chunk of chunkPieces(pieces, memory)) {
    bytes.push(Buffer.from(chunk));
    used.add(chunk.buffer);
    memory.giveBack(chunk);
  }
  expect(Buffer.concat(bytes).equals(Buffer.concat(pieces))).toBe(true);
  expect([used.size, used.has(large.buffer)]).toEqual([2, true]);
});

test('respondPieces sends a single chunk as a copy, and uses its memory again', async () => {
  const memory = new ChunkMemory();
  const chunk = memory.take();
  memory.giveBack(chunk);
  const bodies: unknown[] = [];
  for (const text of ['first', 'second']) {
    const response = await respondPieces(createTestExchange(), 200, [Buffer.from(text), Buffer.from('.')], memory);
    bodies.push(response.type === 'bytes' && response.body);
  }
  expect(bodies.map(String)).toEqual(['first.', 'second.']);
  expect(bodies.map((body) => Buffer.isBuffer(body) && body.buffer === chunk.buffer)).toEqual([false, false]);
  expect(memory.take().buffer).toBe(chunk.buffer);
});

describe('respondError', () => {
  const unused: Logger = {
    info: () => {},
    warning: () => {},
    error: (failure) => expect.fail(String(failure)),
    v: () => undefined,
    named: () => unused,
  };

  function respondTo(
    error: unknown,
    options: Parameters<typeof createTestExchange>[0] = {},
    prepare?: (exchange: ReturnType<typeof createTestExchange>) => void,
  ) {
    const logged: unknown[] = [];
    const logger: Logger = {
      info: () => {},
      warning: () => {},
      error: (failure) => logged.push(failure),
      v: () => undefined,
      named: () => logger,
    };
    const exchange = createTestExchange(options);
    prepare?.(exchange);
    const response = respondError(exchange, error, logger);
    const text = response.type === 'bytes' ? Buffer.from(response.body ?? []).toString() : '';
    return { exchange, response, text, logged, header: (name: string) => exchange.responseHeaders.get(name) };
  }

  test('an error with only a message', () => {
    const { text, header, logged } = respondTo(plainFailure(500, 'resourceVersion: Invalid value: "abc"'));
    expect([text, header('content-type'), logged]).toEqual([
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"resourceVersion: Invalid value: \\"abc\\"","code":500}\n',
      'application/json',
      [],
    ]);
  });

  test('Retry-After', () => {
    const { response, header } = respondTo(newTooManyRequests('slow down', 7));
    expect([response.type === 'bytes' && response.status, header('retry-after')]).toEqual([429, '7']);
  });

  test('protobuf', () => {
    const { text, header } = respondTo(plainFailure(400, 'x'), {
      headers: { Accept: 'application/vnd.kubernetes.protobuf' },
    });
    expect([header('content-type'), text.startsWith('k8s\0'), text.includes('Status')]).toEqual([
      'application/vnd.kubernetes.protobuf',
      true,
      true,
    ]);
  });

  test('indented JSON if nothing else is acceptable', () => {
    const { text, header } = respondTo(plainFailure(400, 'x'), { headers: { Accept: 'text/html' } });
    expect([header('content-type'), text]).toEqual([
      'application/json',
      '{\n  "kind": "Status",\n  "apiVersion": "v1",\n  "metadata": {},\n  "status": "Failure",\n  "message": "x",\n  "code": 400\n}',
    ]);
  });

  test('a bug is logged completely', () => {
    const bug = new TypeError('oops');
    const { text, logged } = respondTo(bug);
    const { reason, code, message } = JSON.parse(text);
    expect([reason, code, message, logged]).toEqual(['InternalError', 500, 'Internal error occurred: oops', [bug]]);
  });

  test('a disconnected client is not a bug', () => {
    const gone = new Error('gone');
    expect(respondTo(gone, {}, (exchange) => exchange.abort(gone)).logged).toEqual([]);
  });

  test.each([
    ['application/yaml', `${'"'.repeat(100_000)}'${'x '.repeat(100_000)}`, 4],
    ['application/yaml', '\n\u007f'.repeat(100_000), 4],
    ['application/yaml', 'x', 1],
    ['application/json', 'x'.repeat(200_000), 1],
    ['text/html', 'x', 1],
  ])('is the same in turns: %s', async (accept, text, turns) => {
    const refusal = newForbidden({ group: '', resource: 'pods' }, 'p', text);
    const later = newTooManyRequests(text, 7);
    for (const error of [refusal, later]) {
      const options = { headers: { Accept: accept } };
      const { response, exchange } = respondTo(error, options);
      const other = createTestExchange(options);
      let count = 0;
      const turn = async () => void count++;
      expect(await respondErrorInTurns(other, error, { logger: unused, turn })).toEqual(response);
      for (const header of ['content-type', 'retry-after']) {
        expect(other.responseHeaders.get(header)).toBe(exchange.responseHeaders.get(header));
      }
      expect(count).toBe(turns);
    }
  });

  test('a value for in-process callers', () => {
    const { response } = respondTo(plainFailure(418, 'x'), { inProcess: {} });
    expect(response).toEqual({
      type: 'value',
      status: 418,
      value: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'x', code: 418 },
    });
  });
});
