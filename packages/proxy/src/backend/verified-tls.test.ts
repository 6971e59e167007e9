import { createPublicKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { makeTestCertificate, type TestCertificate } from '@apiserver/apimachinery/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchBackend } from './fetch-backend.js';
import { type BackendDialer, type BackendLocation, readText } from './index.js';
import { serverFault } from './verified-tls.js';

const authority = makeTestCertificate({ commonName: 'authority', authority: true });
const good = makeTestCertificate({ issuer: authority, hosts: ['backend.example'] });
const forged = makeTestCertificate({
  issuer: makeTestCertificate({ commonName: 'authority', authority: true }),
  hosts: ['backend.example'],
});

const requests: string[] = [];
/** For each handshake: true if it resumed a session. */
const handshakes: boolean[] = [];

function newServer(maxVersion: 'TLSv1.2' | 'TLSv1.3'): Server {
  const server = createServer({ maxVersion }, (request, response) => {
    requests.push(String(request.url));
    response.setHeader('Connection', 'close');
    response.end('hello');
  });
  return server.on('secureConnection', (socket) => handshakes.push(socket.isSessionReused()));
}

const servers = { 'TLSv1.2': newServer('TLSv1.2'), 'TLSv1.3': newServer('TLSv1.3') };
let version: keyof typeof servers = 'TLSv1.3';

beforeAll(async () => {
  for (const server of Object.values(servers)) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});

/** The maker of a connection. */
interface Way {
  readonly dial?: BackendDialer;
  readonly proxy?: string;
}

async function request(certificate: TestCertificate, ca: string, { dial, proxy }: Way = {}): Promise<string> {
  const server = servers[version];
  server.setSecureContext({ cert: certificate.certificate, key: certificate.key });
  const { port } = server.address() as AddressInfo;
  const location: BackendLocation = {
    scheme: 'https',
    hostname: '127.0.0.1',
    port: `${port}`,
    path: '/x',
    rawQuery: '',
  };
  const transport = {
    ...{ ca, certificate: '', key: '', verify: true, serverName: 'backend.example', connectTimeout: 10_000 },
    ...(dial && { dial }),
  };
  const headers = { Host: 'backend.example', Authorization: 'Bearer secret' };
  const sent = { method: 'GET', headers, proxy };
  try {
    const response = await fetchBackend(location, transport, sent, new AbortController().signal);
    return await readText(response, 100, () => new Error('large'));
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a backend of %s', (one) => {
  beforeAll(() => {
    version = one;
  });

  it('is verified for each connection: no session is resumed', async () => {
    handshakes.length = 0;
    expect([await request(good, authority.certificate), await request(good, authority.certificate)]).toEqual([
      'hello',
      'hello',
    ]);
    expect(handshakes).toEqual([false, false]);
  });

  it('gets nothing of a request before it is verified', async () => {
    requests.length = 0;
    expect(await request(forged, authority.certificate)).toBe(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of ' +
        '"x509: ECDSA verification failure" while trying to verify candidate authority certificate "authority")',
    );
    expect(requests).toEqual([]);
  });

  it('may have an authority and a certificate without names', async () => {
    const nameless = makeTestCertificate({ authority: true });
    const leaf = makeTestCertificate({ issuer: nameless, hosts: ['backend.example'] });
    expect(await request(leaf, nameless.certificate)).toBe('hello');
  });

  it('may be trusted itself', async () => {
    expect(await request(good, good.certificate)).toBe('hello');
  });

  it('is not trusted by the authorities of Node without its own', async () => {
    expect(await request(good, '')).toBe(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });
});

describe('a connection that somebody else makes', () => {
  const dial: BackendDialer = async ({ hostname, port }) => connect(port, hostname);
  const proxy = createHttpServer();
  beforeAll(async () => {
    proxy.on('connect', ({ url }, socket) => {
      const { hostname, port } = new URL(`http://${url}`);
      const backend = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      backend.on('error', () => socket.destroy());
      socket.on('error', () => backend.destroy());
      socket.pipe(backend).pipe(socket);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const ways: readonly [string, () => Way][] = [
    ['a dialer', () => ({ dial })],
    ['an HTTP proxy', () => ({ proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })],
  ];

  it.each(ways)('is verified as any other: %s', async (_name, way) => {
    requests.length = 0;
    expect(await request(good, authority.certificate, way())).toBe('hello');
    expect(await request(forged, authority.certificate, way())).toMatch(
      /^tls: failed to verify certificate: x509: certificate signed by unknown authority \(possibly because of /,
    );
    expect(requests).toEqual(['/x']);
  });
});

it('refuses a server with a large RSA key, as Go, also where nothing is verified', () => {
  const n = Buffer.alloc(1_025, 0xff).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  const { certificate } = makeTestCertificate({ issuer: authority, hosts: ['backend.example'], publicKey });
  // To make such a pair of keys takes seconds.
  const socket = Object.create(TLSSocket.prototype, {
    getPeerX509Certificate: { value: () => new X509Certificate(certificate) },
  });
  const refusal = 'tls: server sent certificate containing RSA key larger than 8192 bits';
  const expected = { ca: authority.certificate, host: 'backend.example' };
  expect([expected, undefined].map((one) => serverFault(socket, one)?.message)).toEqual([refusal, refusal]);
});
