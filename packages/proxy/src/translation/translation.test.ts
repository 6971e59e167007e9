import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Gateway, startGateway } from '../testing/gateway.js';
import { SpdyServer } from '../testing/spdy-server.js';
import { streamOverWebSocket } from '../websocket/stream-over-web-socket.js';
import { commandStatus, failureOf } from './remote-command.js';
import { TerminalSizes } from './terminal-sizes.js';
import { translateStreams } from './translate-streams.js';

const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };

/** A kubelet that speaks only SPDY; each test defines its commands. */
let streams: Map<string, Duplex>;
let backendSocket: Duplex | undefined;
const kubelet = createServer();
kubelet.on('upgrade', (_message, socket, head) => {
  backendSocket = socket;
  socket.write(
    'HTTP/1.1 101 OK\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  );
  new SpdyServer(socket, head, ({ headers, stream }) => streams.set(headers['streamtype'] ?? '', stream));
});
let gateway: Gateway;
let content: AsyncIterable<Uint8Array>;

beforeAll(async () => {
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const port = String((kubelet.address() as AddressInfo).port);
  gateway = await startGateway((exchange) => {
    if (exchange.request.path === '/log') return streamOverWebSocket(exchange, content);
    const requested = exchange.request.query;
    const location = { scheme: 'http', hostname: '127.0.0.1', port, path: '/exec', rawQuery: '' } as const;
    const wanted = {
      stdin: requested.has('stdin'),
      stdout: requested.has('stdout'),
      stderr: requested.has('stderr'),
      tty: requested.has('tty'),
    };
    return translateStreams(exchange, { location, transport, streams: wanted });
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  kubelet.close();
});
beforeEach(() => {
  streams = new Map();
  backendSocket = undefined;
});

/** A client and its received messages, as [channel, text]. */
async function connected(path: string, protocols: readonly string[] = ['v5.channel.k8s.io']) {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`, [...protocols]);
  const messages: [number | undefined, string][] = [];
  socket.on('message', (data: Buffer) => messages.push([data[0], data.subarray(1).toString()]));
  await once(socket, 'open');
  const send = (channel: number, text: string) =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  return { socket, messages, send };
}

async function textOf(stream: Duplex | undefined): Promise<string> {
  return stream === undefined ? '' : Buffer.concat(await Array.fromAsync<Buffer>(stream)).toString();
}

describe('a command', () => {
  it('has its streams in both directions, and its status', async () => {
    const { socket, messages, send } = await connected('/exec?stdin&stdout&stderr');
    await expect.poll(() => [...streams.keys()]).toEqual(['error', 'stdin', 'stdout', 'stderr']);
    send(0, 'input');
    socket.send(Buffer.from([255, 0]));
    expect(await textOf(streams.get('stdin'))).toBe('input');
    streams.get('stdout')?.end('output');
    streams.get('stderr')?.end('trouble');
    streams.get('error')?.end('{"status":"Success"}');
    const [code] = await once(socket, 'close');
    expect([code, messages.toSorted()]).toEqual([
      1000,
      [
        [1, ''],
        [1, 'output'],
        [2, 'trouble'],
        [3, '{"metadata":{},"status":"Success"}'],
      ],
    ]);
    await expect.poll(() => backendSocket?.destroyed).toBe(true);
  });

  it('of a terminal has a resize channel instead of stderr', async () => {
    const { socket, messages, send } = await connected('/exec?stdin&stdout&stderr&tty');
    await expect.poll(() => [...streams.keys()]).toEqual(['error', 'stdin', 'stdout', 'resize']);
    send(4, '{"Width":80,"Hei');
    send(4, 'ght":24}\n{"width":1,"height":2}');
    const [first] = await once(streams.get('resize') as Duplex, 'data');
    expect(String(first)).toBe('{"Width":80,"Height":24}\n');
    streams.get('error')?.end('');
    streams.get('stdout')?.end();
    await once(socket, 'close');
    expect(messages.at(-1)).toEqual([3, '{"metadata":{},"status":"Success"}']);
  });

  it('has a status of bounded length', async () => {
    const { socket, messages } = await connected('/exec?stdout');
    await expect.poll(() => streams.size).toBe(2);
    for (let megabyte = 0; megabyte < 5; megabyte++) streams.get('error')?.write(Buffer.alloc(2 ** 20, 'x'));
    streams.get('error')?.end();
    streams.get('stdout')?.end();
    await once(socket, 'close');
    const [, status = ''] = messages.at(-1) ?? [];
    // The message, and the cause with the same text.
    expect([status.length < 2 * 2 ** 20 + 1_000, status.includes('error stream protocol error')]).toEqual([true, true]);
  });

  it('waits for a kubelet that reads no sizes of its terminal', async () => {
    const { socket, send } = await connected('/exec?stdin&stdout&tty');
    await expect.poll(() => streams.size).toBe(4);
    streams.get('resize')?.pause();
    backendSocket?.pause();
    const text = '{"Width":1,"Height":1}'.repeat(700);
    for (let message = 0; message < 5_000; message++) send(4, text);
    await sleep(1_000);
    expect(socket.bufferedAmount).toBeGreaterThan(0);
    socket.terminate();
  });

  it('is released when its client disconnects', async () => {
    const { socket } = await connected('/exec?stdout');
    await expect.poll(() => streams.size).toBe(2);
    const before = gateway.finished.length;
    socket.terminate();
    await expect.poll(() => [backendSocket?.destroyed, gateway.finished.length]).toEqual([true, before + 1]);
  });

  it('ends when its kubelet disconnects', async () => {
    const { socket } = await connected('/exec?stdout');
    await expect.poll(() => streams.size).toBe(2);
    backendSocket?.destroy();
    expect((await once(socket, 'close'))[0]).toBe(1000);
  });

  it('waits for a slow client', async () => {
    const { socket } = await connected('/exec?stdout');
    await expect.poll(() => streams.size).toBe(2);
    socket.pause();
    const stdout = streams.get('stdout') as Duplex;
    let taken = 0;
    const chunk = Buffer.alloc(2 ** 20);
    while (taken < 400 && (stdout.write(chunk) || (await Promise.race([once(stdout, 'drain'), sleep(300)])))) taken++;
    expect(taken).toBeLessThan(400);
    socket.terminate();
  });

  it.each([
    ['POST', {}, 405],
    ['GET', { 'Sec-WebSocket-Version': '8' }, 400],
  ])('is refused for an invalid handshake: %s %j', async (method, headers, status) => {
    const handshake = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'x',
      'Sec-WebSocket-Version': '13',
    };
    const { request } = await import('node:http');
    const requested = request({
      port: gateway.port,
      host: '127.0.0.1',
      method,
      path: '/exec',
      headers: { ...handshake, ...headers },
    });
    requested.end();
    const [response] = await once(requested, 'response');
    expect(response.statusCode).toBe(status);
    response.resume();
  });
});

function sleep(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}

describe('a stream over a WebSocket', () => {
  async function* lines() {
    yield Buffer.from('one');
    yield Buffer.from('two');
  }

  it.each([
    [[], [Buffer.alloc(0), Buffer.from('one'), Buffer.from('two')], true],
    [['binary.k8s.io'], [Buffer.alloc(0), Buffer.from('one'), Buffer.from('two')], true],
    [['x', 'base64.binary.k8s.io'], [Buffer.alloc(0), Buffer.from('b25l'), Buffer.from('dHdv')], false],
  ])('by %j', async (protocols, expected, binary) => {
    content = lines();
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/log`, protocols);
    const messages: [Buffer, boolean][] = [];
    socket.on('message', (data: Buffer, isBinary) => messages.push([data, isBinary]));
    const [code] = await once(socket, 'close');
    expect([code, socket.protocol, messages]).toEqual([
      1000,
      protocols.at(-1) ?? '',
      expected.map((one) => [one, binary]),
    ]);
  });

  it('ends with its client, even without data', async () => {
    content = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/log`);
    await once(socket, 'message');
    const before = gateway.finished.length;
    socket.terminate();
    await expect.poll(() => gateway.finished.length).toBe(before + 1);
  });

  it('is refused for an unsupported protocol', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/log`, ['v4.channel.k8s.io']);
    expect(String((await once(socket, 'error'))[0])).toContain('403');
  });
});

describe('the result of a command', () => {
  const failed = (details: unknown) =>
    JSON.stringify({ status: 'Failure', reason: 'NonZeroExitCode', message: 'm', details });
  const exit = (code: string) => failed({ causes: [{ reason: 'ExitCode', message: code }] });
  const outcome = (protocol: string, text: string) => {
    try {
      return commandStatus(protocol, text);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['v4.channel.k8s.io', '', { metadata: {}, status: 'Success' }],
    ['v4.channel.k8s.io', '{"status":"Success"}', { metadata: {}, status: 'Success' }],
    [
      'v4.channel.k8s.io',
      exit('7'),
      {
        metadata: {},
        status: 'Failure',
        message: 'command terminated with non-zero exit code: command terminated with exit code 7',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '7' }] },
      },
    ],
    ['v4.channel.k8s.io', exit('256'), 'error stream protocol error: invalid exit code value "256"'],
    ['v4.channel.k8s.io', failed(undefined), 'error stream protocol error: details must be set'],
    ['v4.channel.k8s.io', failed({}), 'error stream protocol error: no ExitCode cause given'],
    ['v4.channel.k8s.io', '{"status":"Failure","message":"no such process"}', 'no such process'],
    ['v4.channel.k8s.io', '{}', 'error stream protocol error: unknown error'],
    ['v3.channel.k8s.io', 'exit status 1', 'error executing remote command: exit status 1'],
  ])('%s %s', (protocol, text, expected) => {
    expect(outcome(protocol, text)).toEqual(expected);
  });

  it('is an internal error by default', () => {
    expect(failureOf(new Error('it broke'))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Internal error occurred: it broke',
      reason: 'InternalError',
      details: { causes: [{ message: 'it broke' }] },
      code: 500,
    });
  });
});

it.each([
  [['{"Width":1,"Height":2}{"Width":3}'], ['{"Width":1,"Height":2}\n', '{"Width":3,"Height":0}\n']],
  [['{"Wid', 'th":1}'], ['{"Width":1,"Height":0}\n']],
  [['{"Width":-1}', '{"Width":1}'], []],
  [['nonsense}', '{"Width":1}'], []],
])('sizes of a terminal: %j', (texts, expected) => {
  const sizes = new TerminalSizes();
  expect(texts.flatMap((text) => sizes.read(text))).toEqual(expected);
});

it.each([
  { shown: 'too many sizes', texts: ['{"Width":1}'.repeat(2_000), '{"Width":1}'] },
  { shown: 'a size that is too long', texts: ['{"Width":', ' '.repeat(17_000), '1}'] },
])('a terminal with $shown has none', ({ texts }) => {
  const sizes = new TerminalSizes();
  expect(texts.flatMap((text) => sizes.read(text))).toEqual([]);
});
