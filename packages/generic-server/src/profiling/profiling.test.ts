import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { HeapProfiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { PathMux } from '../mux/non-go-restful-mux.js';
import { callHandler, createInProcessExchange } from '../testing/call-handler.js';
import { stacksOf as memoryStacks } from './capture-allocations.js';
import { stacksOf as cpuStacks } from './capture-cpu.js';
import { openDebugSocket } from './debug-socket.js';
import { type DebuggingConfig, installDebuggingPaths } from './debugging-paths.js';
import { encodePprof } from './encode-pprof.js';

const config: DebuggingConfig = {
  profiling: true,
  socketPath: '',
  flags: {
    v(value) {
      if (value === 'x') throw new Error('x is no level');
      return `v is ${value}`;
    },
  },
};

function handlerOf(): Handler {
  const mux = new PathMux();
  installDebuggingPaths(mux, config, {});
  expect(mux.listedPaths()).toEqual([]);
  const nothing: Handler = async () => ({ type: 'bytes', status: 999, body: Buffer.from('') });
  return (exchange) => (mux.handlerFor(exchange, nothing) ?? nothing)(exchange);
}

/** Work for the profilers to record. */
function busyWork(until: AbortSignal): void {
  const kept: string[] = [];
  const busyTurn = () => {
    const start = performance.now();
    while (performance.now() - start < 20) kept.push(`${kept.length}`.repeat(20));
    if (!until.aborted) setImmediate(busyTurn);
  };
  busyTurn();
}

describe('/debug/pprof/', () => {
  it.each(['profile', 'heap', 'allocs'])('serves %s in a form that pprof reads', async (name) => {
    const stop = new AbortController();
    busyWork(stop.signal);
    const exchange = createInProcessExchange({ url: `/debug/pprof/${name}?seconds=1` });
    const response = await handlerOf()(exchange);
    stop.abort();
    const { responseHeaders: headers } = exchange;
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'application/octet-stream',
      `attachment; filename="${name}"`,
    ]);
    const profile = gunzipSync((response.type === 'bytes' && response.body) || '').toString('latin1');
    expect(profile).toContain('busyTurn');
    const type = { profile: 'nanoseconds', heap: 'inuse_space', allocs: 'alloc_space' }[name];
    expect(profile).toContain(type);
  });

  it.each([
    ['profile', 'profile', 'Could not enable CPU profiling: cpu profiling already in use\n'],
    ['heap', 'allocs', 'Could not enable heap profiling: heap profiling already in use\n'],
  ])('serves no %s and %s at once', async (first, second, refusal) => {
    const handler = handlerOf();
    const [one, other] = await Promise.all(
      [first, second].map((name) => callHandler(handler, { url: `/debug/pprof/${name}?seconds=1` })),
    );
    expect([one?.status, other?.status, other?.body]).toEqual([200, 500, refusal]);
  });

  it.each(['profile', 'heap'])('ends %s when its client is gone', async (name) => {
    const exchange = createInProcessExchange({ url: `/debug/pprof/${name}?seconds=1000` });
    const response = handlerOf()(exchange);
    await eventLoopTurns();
    exchange.abort(new Error('the client closed the connection'));
    expect(await response).toMatchObject({ status: 200 });
  });

  it.each<[string, number, RegExp]>([
    ['/debug/pprof', 302, /^<a href="\/debug\/pprof\/">Found<\/a>\.\n\n$/],
    ['/debug/pprof/', 200, /<a href="profile">/],
    ['/debug/pprof/goroutine', 404, /^Unknown profile\n$/],
    ['/debug/pprof/constructor', 404, /^Unknown profile\n$/],
    ['/debug/pprof/trace', 501, /Go programs/],
    ['/debug/pprof/symbol', 200, /^num_symbols: 0\n$/],
    ['/debug/pprof/heap?debug=1', 400, /debug=0/],
    ['/debug/flags', 200, /v<br>/],
    ['/debug/flags/', 200, /v<br>/],
    ['/debug/flags/v', 406, /^unsupported http method\n$/],
  ])('%s is %i', async (url, status, body) => {
    const response = await callHandler(handlerOf(), { url });
    expect(response).toMatchObject({ status, body: expect.stringMatching(body) });
    // A client of profiles shows only texts with this header.
    const isRefusal = url.startsWith('/debug/pprof/') && status >= 400;
    expect(response.headers['x-go-pprof']).toBe(isRefusal ? '1' : undefined);
  });

  it.each([
    ['4', 200, 'v is 4\n'],
    ['x', 400, 'x is no level\n'],
  ])('PUT of %s to a flag', async (value, status, body) => {
    expect(await callHandler(handlerOf(), { url: '/debug/flags/v', method: 'PUT', body: value })).toMatchObject({
      status,
      body,
      headers: { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' },
    });
  });
});

it('a debug socket serves the same, and replaces a file at its path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'debug-'));
  const socketPath = join(folder, 'socket');
  writeFileSync(socketPath, 'something else');
  const { logger } = createTestLogger();
  const get = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request({ socketPath, path, agent: false }, (response) => {
        response.setEncoding('utf8');
        let body = '';
        response.on('data', (text: string) => {
          body += text;
        });
        response.on('end', () => resolve(`${response.statusCode} ${body}`));
      })
        .on('error', reject)
        .end();
    });
  {
    await using _ = await openDebugSocket({ ...config, socketPath }, { logger, now: Date.now, owner: {} });
    expect(await get('/debug/pprof/symbol')).toBe('200 num_symbols: 0\n');
    expect(await get('/api')).toBe('404 404 page not found\n');
  }
  await expect(get('/debug/pprof/symbol')).rejects.toThrow();
  rmSync(folder, { recursive: true });
});

const frame = (functionName: string) => ({
  functionName,
  scriptId: '1',
  url: 'file.js',
  lineNumber: 4,
  columnNumber: 0,
});

it('makes stacks of the tree of a CPU profile, without idling', () => {
  const stacks = cpuStacks({
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 4] },
      { id: 2, callFrame: frame('outer'), children: [3] },
      { id: 3, callFrame: frame('inner') },
      { id: 4, callFrame: frame('(idle)') },
    ],
    startTime: 0,
    endTime: 60,
    samples: [3, 4, 3, 2],
    timeDeltas: [10, 20, 10, 5],
  });
  expect(stacks).toEqual([
    { frames: [frame('inner'), frame('outer')], values: [2, 20_000] },
    { frames: [frame('outer')], values: [1, 5000] },
  ]);
});

it('makes stacks of the tree of allocations', () => {
  const node = (
    name: string,
    selfSize: number,
    ...children: HeapProfiler.SamplingHeapProfileNode[]
  ): HeapProfiler.SamplingHeapProfileNode => ({ callFrame: frame(name), selfSize, children });
  expect(memoryStacks(node('(root)', 0, node('outer', 0, node('inner', 7))))).toEqual([
    { frames: [frame('inner'), frame('outer')], values: [7] },
  ]);
});

it('writes each function once', async () => {
  const encoded = await encodePprof({
    types: [{ type: 'cpu', unit: 'nanoseconds' }],
    period: { type: 'cpu', unit: 'nanoseconds', value: 1 },
    started: 1,
    duration: 1,
    stacks: [
      { frames: [frame('inner'), frame('outer')], values: [1] },
      { frames: [frame('outer')], values: [2] },
    ],
  });
  const text = gunzipSync(encoded).toString('latin1');
  expect([text.split('outer').length, text.split('inner').length]).toEqual([2, 2]);
});
