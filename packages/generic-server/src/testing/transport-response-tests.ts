import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, ExchangeOutcome } from '@apiserver/apiserver-contracts';
import { expect } from 'vitest';
import { ConnectionCut } from '../serving/transport/connection-cut.js';
import { bytes } from './test-responses.js';
import type { TransportTests } from './transport-tests.js';

const shapes: readonly (readonly [name: string, response: ApiResponse & { readonly status: number }, body: string])[] =
  [
    ['bytes', { type: 'bytes', status: 201, body: Buffer.from('made') }, 'made'],
    ['chunks', { type: 'chunks', status: 201, chunks: ['a', 'b', 'c'].map((text) => Buffer.from(text)) }, 'abc'],
    [
      'a stream',
      {
        type: 'stream',
        status: 201,
        run: async (writer) => {
          writer.write(Buffer.from('1'));
          writer.write(Buffer.from('2'));
          await sleep(5);
          writer.write(Buffer.from('3'));
        },
      },
      '123',
    ],
    ['nothing', { type: 'bytes', status: 204, body: undefined }, ''],
  ];

/** Responses of every shape arrive completely or are recognisably truncated, and their outcome is reported. */
export function responseTests(tests: TransportTests): void {
  shapeTests(tests);
  lateBodyTests(tests);
  failureTests(tests);
  cutTests(tests);
  streamTests(tests);
  stalledReaderTests(tests);
}

function shapeTests({ test, serve }: TransportTests): void {
  for (const [name, response, body] of shapes) {
    test(`of ${name} arrives, and its outcome is reported`, async () => {
      const outcomes: ExchangeOutcome[] = [];
      const { fetch } = await serve((exchange) => {
        exchange.onFinished((outcome) => outcomes.push(outcome));
        exchange.responseHeaders.set('X-One', 'ü');
        exchange.responseHeaders.append('Warning', '299 - "a"');
        exchange.responseHeaders.append('Warning', '299 - "b"');
        return response;
      });
      const received = await fetch();
      const { status } = response;
      expect(received).toMatchObject({ status, body, headers: { warning: '299 - "a", 299 - "b"' } });
      expect(Buffer.from(String(received.headers['x-one']), 'latin1').toString()).toBe('ü');
      await expect.poll(() => outcomes).toEqual([{ status, bytesWritten: body.length, aborted: false }]);
    });
  }

  test('of HEAD has the length but no body, which counts as written', async () => {
    const outcomes: ExchangeOutcome[] = [];
    const { fetch } = await serve((exchange) => {
      exchange.onFinished((outcome) => outcomes.push(outcome));
      return bytes(200, 'text');
    });
    const expected = { status: 200, body: '', headers: { 'content-length': '4' } };
    expect(await fetch({ method: 'HEAD' })).toMatchObject(expected);
    await expect.poll(() => outcomes).toEqual([{ status: 200, bytesWritten: 4, aborted: false }]);
  });

  for (const [status, method, length] of [
    [406, 'GET', '0'],
    [304, 'GET', undefined],
    [204, 'GET', undefined],
    [404, 'HEAD', undefined],
  ] as const) {
    test(`of ${status} to ${method} without a body has the length ${length}`, async () => {
      const { fetch } = await serve(() => ({ type: 'bytes', status, body: undefined }));
      expect((await fetch({ method })).headers['content-length']).toBe(length);
    });
  }

  test('of many megabytes arrives whole', async () => {
    const body = Buffer.alloc(4 * 1024 * 1024, 'x');
    const { fetch } = await serve(() => ({ type: 'bytes', status: 200, body }));
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch()));
    expect(responses.map((response) => response.body.length)).toEqual(responses.map(() => body.length));
  });

  test('may be given back its memory once that is copied', async () => {
    const chunks = Array.from({ length: 60 }, (_, index) => Buffer.alloc(100_000, index + 1));
    const expected = Buffer.concat(chunks).toString('latin1');
    const givenBack: Uint8Array[] = [];
    const giveBack = (chunk: Uint8Array) => void givenBack.push(chunk.fill(0));
    const { fetch } = await serve(() => ({ type: 'chunks', status: 200, chunks, giveBack }));
    expect((await fetch()).body === expected).toBe(true);
    expect(givenBack).toEqual(chunks);
  });
}

function lateBodyTests({ test, serve }: TransportTests): void {
  test('of a log or a proxy has its head before its late first chunk', async () => {
    const isOpen = Promise.withResolvers<void>();
    const { open, lines } = await serve(() => ({
      type: 'chunks',
      status: 200,
      isPatient: true,
      chunks: (async function* () {
        await isOpen.promise;
        yield Buffer.from('late');
      })(),
    }));
    const { status, body } = await open();
    isOpen.resolve();
    expect([status, Buffer.concat(await Array.fromAsync<Buffer>(body)).toString(), lines]).toEqual([200, 'late', []]);
  });
}

function failureTests({ test, serve }: TransportTests): void {
  test('is 500 if the handler throws, and the server continues', async () => {
    const { fetch } = await serve(() => {
      throw new Error('bug');
    });
    const expected = { status: 500, body: 'Internal Server Error\n' };
    expect([await fetch(), await fetch()]).toMatchObject([expected, expected]);
  });

  test('whose source throws after its head breaks off', async () => {
    const isOpen = Promise.withResolvers<void>();
    const { open, lines } = await serve(() => ({
      type: 'chunks',
      status: 200,
      chunks: (async function* () {
        yield Buffer.from('half');
        await isOpen.promise;
        throw new Error('lost');
      })(),
    }));
    const { body } = await open();
    isOpen.resolve();
    await expect(body.toArray()).rejects.toThrow();
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
}

function cutTests({ test, serve }: TransportTests): void {
  test('that is cut has no head, and only its own connection breaks', async () => {
    const outcomes: ExchangeOutcome[] = [];
    const { fetch, lines } = await serve((exchange) => {
      if (exchange.request.path === '/whole') return bytes(200, 'whole');
      exchange.onFinished((outcome) => outcomes.push(outcome));
      throw new ConnectionCut();
    });
    const status = await fetch().then(
      (response) => response.status,
      () => Number.NaN,
    );
    expect(status).toBeNaN();
    expect(await fetch({ path: '/whole' })).toMatchObject({ status: 200, body: 'whole' });
    await expect.poll(() => outcomes).toEqual([{ status: 0, bytesWritten: 0, aborted: true }]);
    expect(lines).toEqual([]);
  });

  test('that is cut after its head breaks off', async () => {
    const isOpen = Promise.withResolvers<void>();
    const { open, lines } = await serve(() => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('half'));
        await isOpen.promise;
        throw new ConnectionCut();
      },
    }));
    const { body } = await open();
    isOpen.resolve();
    await expect(body.toArray()).rejects.toThrow();
    expect(lines).toEqual([]);
  });
}

function streamTests({ test, serve }: TransportTests): void {
  test('that is a watch sends each event when it happens', async () => {
    const next = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const { open } = await serve(() => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        for (const [index, { promise }] of next.entries()) {
          await promise;
          writer.write(Buffer.from(`event ${index}\n`));
        }
      },
    }));
    const { body } = await open();
    let seen = '';
    const ended = once(body, 'end');
    body.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    for (const [index, { resolve }] of next.entries()) {
      resolve();
      await expect.poll(() => seen.endsWith(`event ${index}\n`)).toBe(true);
    }
    await ended;
    expect(seen).toBe('event 0\nevent 1\nevent 2\n');
  });

  test('that its client gives up aborts the exchange', async () => {
    const outcomes: ExchangeOutcome[] = [];
    let isAborted = () => false;
    const { open } = await serve((exchange) => {
      isAborted = () => exchange.signal.aborted;
      exchange.onFinished((outcome) => outcomes.push(outcome));
      return {
        type: 'stream',
        status: 200,
        run: () => new Promise((resolve) => exchange.signal.addEventListener('abort', () => resolve())),
      };
    });
    (await open()).cancel();
    await expect.poll(() => outcomes).toEqual([{ status: 200, bytesWritten: 0, aborted: true }]);
    expect(isAborted()).toBe(true);
  });
}

function stalledReaderTests({ test, serve }: TransportTests): void {
  test('stops reading its source when the client does not read, and ends it when the client goes', async () => {
    let produced = 0;
    let ended = false;
    const { open } = await serve(() => ({
      type: 'chunks',
      status: 200,
      chunks: (async function* () {
        try {
          for (; produced < 10_000; produced++) yield Buffer.alloc(16_384);
        } finally {
          ended = true;
        }
      })(),
    }));
    const { body, cancel } = await open();
    body.pause();
    for (let before = -1; before !== produced; ) {
      before = produced;
      await sleep(200);
    }
    const afterPause = produced;
    expect(afterPause).toBeLessThan(2_000);
    cancel();
    await expect.poll(() => ended).toBe(true);
    expect(produced).toBeLessThan(afterPause + 200);
  });

  test('of a watch reports to its writer how much the client has not read', async () => {
    const buffered: number[] = [];
    const { open } = await serve(() => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        for (let count = 0; count < 1_000 && writer.bufferedBytes < 2 ** 20; count++) {
          writer.write(Buffer.alloc(100_000));
          await sleep(1);
        }
        buffered.push(writer.bufferedBytes);
      },
    }));
    const { body, cancel } = await open();
    body.pause();
    await expect.poll(() => buffered).toHaveLength(1);
    cancel();
    expect(buffered[0]).toBeGreaterThanOrEqual(2 ** 20);
  });
}
