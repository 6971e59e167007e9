import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { type Attacker, type HostileCase, type HostileResponse, KIB, MIB, sending } from '../../hostile-case.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Milliseconds until the server knows the backend. */
const DEADLINE = 10_000;
/** Milliseconds that an attack takes at most. */
const ATTACK_MS = 2_000;
/** The last segment of the attacked path. */
const ATTACKED = 'attacked';

/** Answers one request byte by byte, as it likes. */
type Backend = (socket: TLSSocket) => void;

/** Keeps writing while the server reads. */
function endlessly(socket: TLSSocket, piece: Uint8Array): void {
  const write = () => {
    while (!socket.destroyed && socket.writable) if (!socket.write(piece)) return void socket.once('drain', write);
  };
  write();
}

/** Writes each byte in a record of its own, some at a time. */
async function inRecords(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; at++) {
    socket.write(bytes.subarray(at, at + 1));
    if (at % 1_000 === 999) await new Promise<unknown>((resolve) => setImmediate(resolve));
  }
}

/** A backend of 127.0.0.1 that answers all but the attacked path in a friendly way. */
export async function startRawBackend(backend: Backend) {
  const { certificate, key } = makeTestCertificate({ hosts: ['localhost'] });
  const sockets = new Set<TLSSocket>();
  let isAsked = false;
  const server = createServer({ cert: certificate, key }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (head) => {
      isAsked = true;
      const [line = ''] = head.toString('latin1').split('\r\n');
      if (line.includes(ATTACKED)) backend(socket);
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get isAsked() {
      return isAsked;
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Sends a head, and returns what comes until the server or the time ends it. */
async function exchanged(
  attacker: Attacker,
  head: string,
  input?: (socket: TLSSocket) => void,
): Promise<HostileResponse> {
  const socket = connect({ ...attacker.administrator, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => {});
  let bytes = 0;
  let start = '';
  if (input !== undefined) socket.once('data', () => setTimeout(() => input(socket), 500));
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (start.length < KIB) start += chunk.toString('latin1', 0, KIB);
  });
  await once(socket, 'secureConnect');
  socket.write(head);
  await Promise.race([once(socket, 'close'), sleep(ATTACK_MS)]);
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(start)?.[1] ?? 0), headers: {}, bytes, start };
}

const headOf = (path: string, upgrade: string | undefined) =>
  `GET ${path} HTTP/1.1\r\nHost: h\r\n${upgrade === undefined ? '' : `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`}\r\n`;

/** Registers the backend as an extension server, and asks it through the aggregator. */
async function throughAggregator(attacker: Attacker, name: string, backend: Backend, upgrade?: string) {
  using server = await startRawBackend(backend);
  const group = `${name}.example.com`;
  const { port } = server;
  const service = { metadata: { name }, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } };
  const spec = { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true };
  const target = { service: { namespace: 'default', name, port } };
  const apiService = { metadata: { name: `v1.${group}` }, spec: { ...spec, ...target } };
  await attacker.send(sending('POST', SERVICES, 'json', JSON.stringify(service)));
  await attacker.send(sending('POST', API_SERVICES, 'json', JSON.stringify(apiService)));
  try {
    const path = `/apis/${group}/v1/${ATTACKED}`;
    const isServed = async () => (await attacker.send({ method: 'GET', path: `/apis/${group}/v1/x` })).status === 200;
    for (const end = Date.now() + DEADLINE; !(await isServed()) && Date.now() < end; await sleep(50));
    return await exchanged(attacker, headOf(path, upgrade));
  } finally {
    await attacker.send({ method: 'DELETE', path: `${API_SERVICES}/v1.${group}` });
    await attacker.send({ method: 'DELETE', path: `${SERVICES}/${name}` });
  }
}

const PODS = '/api/v1/namespaces/default/pods';
const EXEC_HEAD = [
  ...['Host: h', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: v5.channel.k8s.io', '', ''],
].join('\r\n');

/** Makes a node of the backend, and runs a command in a pod there. */
async function throughKubelet(attacker: Attacker, name: string, backend: Backend, input?: (socket: TLSSocket) => void) {
  using server = await startRawBackend(backend);
  await using _node = await makeNode(attacker, name, server.port);
  return await exchanged(attacker, execHead(name), input);
}

/** Makes a node whose kubelet listens at a port, and a pod there. Both go with the value. */
export async function makeNode(attacker: Attacker, name: string, port: number): Promise<AsyncDisposable> {
  const post = (path: string, body: object) => attacker.send(sending('POST', path, 'json', JSON.stringify(body)));
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await post('/api/v1/nodes', { metadata: { name }, status });
  await post(PODS, { metadata: { name }, spec: { nodeName: name, containers: [{ name: ATTACKED, image: 'i' }] } });
  return {
    [Symbol.asyncDispose]: async () => {
      await attacker.send({ method: 'DELETE', path: `${PODS}/${name}?gracePeriodSeconds=0` });
      await attacker.send({ method: 'DELETE', path: `/api/v1/nodes/${name}` });
    },
  };
}

/** The head of a request that runs a command in the pod. */
export function execHead(name: string): string {
  const query = `command=x&container=${ATTACKED}&stdin=1&stdout=1&tty=1`;
  return `GET ${PODS}/${name}/exec?${query} HTTP/1.1\r\n${EXEC_HEAD}`;
}

const answering = (
  name: string,
  backend: Backend,
  { status, upgrade }: { readonly status?: number; readonly upgrade?: string } = {},
): HostileCase => ({
  name,
  request: () => ({ method: 'GET', path: '/' }),
  attack: (attacker, server) => throughAggregator(attacker, server, backend, upgrade),
  ...(status !== undefined && { status }),
  maxResponse: 4 * 1024 * MIB,
});
const running = (name: string, backend: Backend, input?: (socket: TLSSocket) => void): HostileCase => ({
  name,
  request: () => ({ method: 'GET', path: '/' }),
  attack: (attacker, node) => throughKubelet(attacker, node, backend, input),
  status: 101,
  maxResponse: 4 * 1024 * MIB,
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';
const fields = (count: number) => Array.from({ length: count }, (_, i) => `x${i}: y\r\n`).join('');

/** A frame of SPDY: a control frame of a type, or data of a stream. */
export function spdy(first: number, second: number, body: Uint8Array, announced = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(first, 0);
  head.writeUInt32BE(announced, 4);
  head.writeUInt8(second, 4);
  return Buffer.concat([head, body]);
}
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const control = (type: number, body: Uint8Array) => spdy(0x8003_0000 + type, 0, body);
/** Accepts all streams of a command: their numbers are odd. */
const ACCEPTED = Buffer.concat([1, 3, 5, 7].map((id) => control(2, Buffer.concat([number(id), number(0)]))));

/** Switches protocols, accepts the streams, and then does something else. */
export const commanded =
  (then: Backend): Backend =>
  (socket) => {
    socket.write(`${SWITCHED}X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`);
    let rounds = 4;
    // A stream is opened when the one before it is accepted.
    const accept = setInterval(() => {
      socket.write(ACCEPTED);
      if (--rounds > 0) return;
      clearInterval(accept);
      setTimeout(() => then(socket), 50);
    }, 50);
  };

/** Extension servers and kubelets that answer with bytes which are no good response. */
export const RAW_BACKEND_CASES: readonly HostileCase[] = [
  answering(
    'a head without an end',
    (socket) => {
      socket.write(OK);
      endlessly(socket, Buffer.from(fields(1_000)));
    },
    { status: 503 },
  ),
  answering('100,000 fields', (socket) => socket.end(`${OK}${fields(100_000)}\r\n`), { status: 503 }),
  answering('a body without an end', (socket) => {
    socket.write(`${OK}\r\n`);
    endlessly(socket, Buffer.alloc(MIB, ' '));
  }),
  answering('a body of chunks of one byte', (socket) => {
    socket.write(CHUNKED);
    endlessly(socket, Buffer.from('1\r\nx\r\n'.repeat(10_000)));
  }),
  answering('a chunk with a long extension', (socket) => {
    socket.write(`${CHUNKED}1`);
    endlessly(socket, Buffer.from(';a=b'.repeat(10_000)));
  }),
  answering('100,000 trailers', (socket) => socket.end(`${CHUNKED}1\r\nx\r\n0\r\n${fields(100_000)}\r\n`)),
  answering('a body in records of one byte', (socket) => {
    socket.write(`${OK}Content-Length: 200000\r\n\r\n`);
    void inRecords(socket, Buffer.alloc(200_000, 'x'));
  }),
  answering(
    'an upgrade whose head comes in records of one byte',
    (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n');
      void inRecords(socket, Buffer.from(`x: ${'y'.repeat(150_000)}\r\n\r\n`));
    },
    { upgrade: 'websocket' },
  ),
  answering(
    'an upgrade with 100,000 fields',
    (socket) => {
      socket.end(`HTTP/1.1 101 Switching Protocols\r\n${fields(100_000)}\r\n`);
    },
    { status: 503, upgrade: 'websocket' },
  ),
  answering(
    'a refused upgrade whose body comes in records of one byte',
    (socket) => {
      socket.write('HTTP/1.1 403 Forbidden\r\n\r\n');
      void inRecords(socket, Buffer.alloc(150_000, 'x'));
    },
    { upgrade: 'websocket' },
  ),
  answering(
    'an upgrade and then bytes without an end',
    (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      endlessly(socket, Buffer.alloc(MIB, 'x'));
    },
    { status: 101, upgrade: 'websocket' },
  ),
  running(
    'a command whose kubelet pings without an end',
    commanded((socket) => {
      const pings = Buffer.concat(Array.from({ length: 5_000 }, () => control(6, number(2))));
      socket.pause();
      endlessly(socket, pings);
    }),
  ),
  running(
    'a command whose kubelet resets its streams without an end',
    commanded((socket) => {
      const resets = Buffer.concat(
        Array.from({ length: 5_000 }, () => control(3, Buffer.concat([number(5), number(1)]))),
      );
      endlessly(socket, resets);
    }),
  ),
  running(
    'a command whose kubelet sends a frame in records of one byte',
    commanded((socket) => {
      socket.write(spdy(5, 0, Buffer.alloc(0), 15 * MIB));
      void inRecords(socket, Buffer.alloc(200_000, 'x'));
    }),
  ),
  running(
    'a command whose status has no end',
    commanded((socket) => endlessly(socket, spdy(1, 0, Buffer.alloc(MIB, 'x')))),
  ),
  running(
    'a command whose output comes in bytes',
    commanded((socket) => {
      endlessly(socket, Buffer.concat(Array.from({ length: 5_000 }, () => spdy(5, 0, Buffer.from('x')))));
    }),
  ),
  running(
    'a command with a million sizes of its terminal',
    commanded(() => {}),
    (socket) => {
      const message = Buffer.concat([Buffer.of(4), Buffer.from('{"Width":1,"Height":1}'.repeat(1_000_000))]);
      const head = Buffer.alloc(14);
      head.writeUInt16BE(0x82ff);
      head.writeBigUInt64BE(BigInt(message.length), 2);
      socket.write(Buffer.concat([head, message]));
    },
  ),
];
