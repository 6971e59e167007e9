import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { makeTestCertificate, type TestCertificateOptions } from '@apiserver/authentication/testing';
import { frame, headerBlock, preface, request, reset } from '../../faults/http2-frames.ts';
import type { Attacker, HostileCase, HostileResponse } from '../hostile-case.ts';

const LIVEZ = { method: 'GET', path: '/livez' } as const;
/** Time in which the server reads what it was sent. */
const READING_MS = 1_000;

const many = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index));

async function open(attacker: Attacker, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ ...attacker.target, ALPNProtocols: ['h2'], ...options });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket.resume();
}

/** Sends bytes on a new connection, then asks whether the server lives. The server may end the connection. */
function flood(
  name: string,
  bytes: () => Uint8Array,
  { protocol = 'h2' }: { readonly protocol?: 'h2' | 'http/1.1' } = {},
): HostileCase {
  return {
    name,
    who: 'anonymous',
    request: () => LIVEZ,
    attack: async (attacker) => {
      const socket = await open(attacker, { ALPNProtocols: [protocol] });
      await Promise.race([new Promise((resolve) => socket.write(bytes(), resolve)), once(socket, 'close')]);
      await Promise.race([sleep(READING_MS), once(socket, 'close')]);
      socket.destroy();
      return attacker.send(LIVEZ, 'anonymous');
    },
    status: 200,
  };
}

/** Opens connections at the same moment. */
function openings(
  name: string,
  count: number,
  { options = () => ({}), known }: { readonly options?: () => ConnectionOptions; readonly known?: string } = {},
): HostileCase {
  return {
    name,
    ...(known !== undefined && { known }),
    who: 'anonymous',
    request: () => LIVEZ,
    attack: async (attacker): Promise<HostileResponse> => {
      const made = options();
      const opened = await Promise.all(many(count, () => open(attacker, made).catch(() => undefined)));
      const response = await attacker.send(LIVEZ, 'anonymous');
      for (const socket of opened) socket?.destroy();
      return response;
    },
    status: 200,
  };
}

const GET = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'localhost'],
  [':path', '/x'],
] as const;

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const afterPreface = (frames: readonly Buffer[]) => Buffer.concat([preface, ...frames]);
const setting = (id: number, value: number) => frame(4, 0, 0, Buffer.concat([Buffer.of(0, id), uint32(value)]));

/** A field that the table keeps: its index is 62 from then on. */
function kept(name: string, value: string): Buffer {
  const length = value.length - 127;
  const prefix = Buffer.of(127, (length & 127) | 128, length >> 7);
  return Buffer.concat([Buffer.of(0x40, name.length), Buffer.from(name), prefix, Buffer.from(value)]);
}

/** Requests with fields of 4 KB that take one byte each. */
function references(): Buffer {
  const start = headerBlock(GET);
  const first = frame(1, 5, 1, Buffer.concat([start, kept('x', 'y'.repeat(3_900))]));
  const block = Buffer.concat([start, Buffer.alloc(250, 0x80 | 62)]);
  return afterPreface([first, ...many(90, (index) => frame(1, 5, 2 * index + 3, block))]);
}

function withCertificate(contents: TestCertificateOptions): ConnectionOptions {
  const { certificate, key } = makeTestCertificate(contents);
  return { cert: certificate, key };
}

/** A client's certificate, that of its issuer, and many that may have issued the latter: each is tried. */
function issuers(): ConnectionOptions {
  const issuer = () => makeTestCertificate({ commonName: 'issuer', authority: true });
  const own = issuer();
  const leaf = makeTestCertificate({ commonName: 'client', issuer: own });
  const chain = [leaf, own, ...many(150, issuer)].map(({ certificate }) => certificate);
  return { cert: chain.join(''), key: leaf.key };
}

/** Clients whose connections end at the same moment, each with a hundred requests that have no end. */
function endings(name: string, count: number, bytes: () => Buffer): HostileCase {
  return {
    name,
    request: () => LIVEZ,
    attack: async (attacker): Promise<HostileResponse> => {
      const sockets: TLSSocket[] = [];
      // Their handshakes are another case.
      while (sockets.length < count) sockets.push(await open(attacker, attacker.administrator));
      const requests = bytes();
      for (const socket of sockets) await new Promise((resolve) => socket.write(requests, resolve));
      await sleep(READING_MS);
      for (const socket of sockets) socket.destroy();
      await sleep(READING_MS);
      return attacker.send(LIVEZ);
    },
    status: 200,
  };
}

/** A hundred requests on a connection. */
const hundred = (fields: readonly (readonly [string, string])[], endsStream: boolean) =>
  afterPreface(many(100, (i) => frame(1, endsStream ? 5 : 4, 2 * i + 1, headerBlock(fields))));

/** A request of a client with certificates of its own making. */
function shown(name: string, options: () => ConnectionOptions): HostileCase {
  return {
    name,
    who: 'anonymous',
    request: () => LIVEZ,
    attack: async (attacker) => {
      const socket = await open(attacker, { ...options(), ALPNProtocols: ['http/1.1'] });
      socket.write('GET /x HTTP/1.1\r\nHost: h\r\n\r\n');
      const [head]: string[] = await once(socket.setEncoding('latin1'), 'data');
      socket.destroy();
      return { status: Number(head?.slice(9, 12)), headers: {}, bytes: head?.length ?? 0, start: head ?? '' };
    },
    status: 401,
  };
}

/** Floods of frames and of connections, by clients without credentials. */
export const CONNECTION_CASES: readonly HostileCase[] = [
  flood('100,000 settings', () => afterPreface(many(100_000, (i) => setting(4, i)))),
  flood('100,000 sizes of a header table', () =>
    afterPreface(many(100_000, (i) => setting(1, i % 2 === 0 ? 0 : 4_096))),
  ),
  flood('100,000 pings', () => afterPreface(many(100_000, () => frame(6, 0, 0, Buffer.alloc(8))))),
  flood('30,000 requests that are reset', () =>
    afterPreface(many(30_000, (i) => Buffer.concat([request(2 * i + 1, GET), reset(2 * i + 1)]))),
  ),
  flood('continuations without an end', () =>
    afterPreface([frame(1, 0, 1, headerBlock(GET)), ...many(50_000, () => frame(9, 0, 1, Buffer.alloc(0)))]),
  ),
  flood('references to a large field', references),
  flood('100,000 window updates', () => afterPreface(many(100_000, () => frame(8, 0, 0, uint32(1))))),
  flood('300,000 bytes of a body, each in a frame', () =>
    afterPreface([
      frame(1, 4, 1, headerBlock([[':method', 'POST'], ...GET.slice(1)])),
      ...many(300_000, () => frame(0, 0, 1, Buffer.alloc(1))),
    ]),
  ),
  flood('100,000 requests on HTTP/1.1', () => Buffer.from('GET /x HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(100_000)), {
    protocol: 'http/1.1',
  }),
  flood(
    '300,000 chunks of a body on HTTP/1.1',
    () =>
      Buffer.from(`POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(300_000)}`),
    { protocol: 'http/1.1' },
  ),
  openings('500 connections at once', 500, { known: 'a turn accepts all connections that wait' }),
  endings('200 clients that end 100 watches each', 200, () =>
    hundred([...GET.slice(0, 3), [':path', '/api/v1/services?watch=1']], true),
  ),
  endings('200 clients that end 100 unfinished bodies each', 200, () =>
    hundred([[':method', 'POST'], ...GET.slice(1, 3), [':path', '/api/v1/namespaces/default/configmaps']], false),
  ),
  shown('a request with 150 certificates', issuers),
  openings('20 certificates of 2,500 names', 20, {
    options: () => withCertificate({ hosts: many(2_500, (i) => `host-${i}.example.com`) }),
  }),
  openings('20 certificates of 2,000 organizations', 20, {
    options: () => withCertificate({ organizations: many(2_000, (i) => `organization ${i}`) }),
  }),
];
