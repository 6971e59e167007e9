import { Buffer } from 'node:buffer';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  alice,
  authority,
  between,
  fetchHttp1,
  fetchHttp2,
  listen,
  serving,
  session,
} from '../../testing/listener-fixture.js';
import type { TlsMaterial } from './tls-material.js';

/** Responds with the number of certificates in the client's chain. */
const chainLength: Handler = ({ request }) => ({
  type: 'bytes',
  status: 200,
  body: Buffer.from(String(request.peerCertificates?.chain.length ?? 0)),
});

const material = (changes: Partial<TlsMaterial> = {}): TlsMaterial => ({
  certificate: serving.certificate,
  key: serving.key,
  clientCA: authority.certificate,
  minVersion: 'TLSv1.2',
  cipherSuites: [],
  ...changes,
});

const sockets: TLSSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection whose handshake is done. Rejects when there is none. */
function shaken(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate, ...options });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('secureConnect', () => resolve(socket));
  });
}

/** Everything that a server sends until it ends the connection. */
async function unasked(socket: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('HTTP/2 over TLS that is not good enough', () => {
  const goaway = (reason: string) =>
    Buffer.concat([Buffer.of(0, 0, 8 + reason.length, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12), Buffer.from(reason)]);

  const rsa = makeTestCertificate({
    commonName: 'rsa',
    issuer: authority,
    hosts: ['localhost', '127.0.0.1'],
    rsa: true,
  });

  it.each<[string, ConnectionOptions, string]>([
    ['no AEAD', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA' }, 'Prohibited TLS 1.2 Cipher Suite: c013'],
    ['keys that stay', { maxVersion: 'TLSv1.2', ciphers: 'AES256-GCM-SHA384' }, 'Prohibited TLS 1.2 Cipher Suite: 9d'],
    [
      'an old version',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      'TLS version too low',
    ],
  ])('(%s) ends with the reason', async (_, options, reason) => {
    const cipherSuites = ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'TLS_RSA_WITH_AES_256_GCM_SHA384'];
    const { certificate, key } = rsa;
    const tls = material({ certificate, key, minVersion: 'TLSv1', cipherSuites });
    const { port } = await listen(chainLength, { tls });
    const socket = await shaken(port, { ...options, ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('h2');
    expect((await unasked(socket)).toString('latin1')).toBe(goaway(reason).toString('latin1'));
    expect(await fetchHttp1(port, { ...options, ALPNProtocols: ['http/1.1'] })).toMatchObject({ status: 200 });
  });
});

describe('the listener’s TLS', () => {
  it.each<[string, Partial<TlsMaterial>, ConnectionOptions, string]>([
    ['the best of what both can', {}, {}, 'TLSv1.3 TLS_AES_128_GCM_SHA256'],
    [
      'an AEAD in TLS 1.2, whatever the client likes better',
      {},
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-GCM-SHA384' },
      'TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    ],
    [
      'ChaCha20 with who likes that best',
      {},
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256' },
      'TLSv1.2 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    ],
    [
      'one of its suites',
      { cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] },
      { maxVersion: 'TLSv1.2' },
      'TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    ],
    ['the oldest version that it wants', { minVersion: 'TLSv1.3' }, {}, 'TLSv1.3 TLS_AES_128_GCM_SHA256'],
  ])('speaks %s, on HTTP/2 and HTTP/1', async (_, changes, options, spoken) => {
    const { port } = await listen(chainLength, { tls: material(changes) });
    for (const protocol of ['h2', 'http/1.1']) {
      const socket = await shaken(port, { ...options, ALPNProtocols: [protocol] });
      expect(`${socket.getProtocol()} ${socket.getCipher().standardName}`).toBe(spoken);
    }
    expect(await fetchHttp2(session(port, options), {})).toMatchObject({ status: 200 });
    expect(await fetchHttp1(port, options)).toMatchObject({ status: 200 });
  });

  it.each<[string, Partial<TlsMaterial>, ConnectionOptions]>([
    ['a version before the oldest', { minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }],
    [
      'none of its suites',
      { cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
    ],
    ['none of its groups', { curves: [24, 25] }, { ecdhCurve: 'P-256' }],
  ])('does not speak %s', async (_, changes, options) => {
    const { port } = await listen(chainLength, { tls: material(changes) });
    await expect(shaken(port, { ...options, ALPNProtocols: ['h2'] })).rejects.toThrow();
  });

  it.each([
    [[29], 'X25519'],
    [[23, 29, 4588], 'X25519'],
    [[24, 23], 'prime256v1'],
  ])('exchanges keys by the first of the groups %j, as Go prefers them', async (curves, name) => {
    const { port } = await listen(chainLength, { tls: material({ curves }) });
    const socket = await shaken(port, { maxVersion: 'TLSv1.2' });
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ type: 'ECDH', name });
  });

  it('refuses a second handshake on a connection', async () => {
    const { port } = await listen(chainLength, { tls: material() });
    const socket = await shaken(port, { maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
    const failure = new Promise((resolve) => {
      socket.on('error', resolve);
      socket.renegotiate({}, resolve);
    });
    await expect(failure).resolves.toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
  });

  it('requests client certificates if it has authorities for them', async () => {
    const certificate = { cert: alice.certificate + between.certificate, key: alice.key };
    for (const [clientCA, length] of [
      [authority.certificate, '2'],
      ['', '0'],
    ] as const) {
      const { port } = await listen(chainLength, { tls: material({ clientCA }) });
      expect(await fetchHttp2(session(port, certificate), {})).toMatchObject({ body: length });
      expect(await fetchHttp1(port, certificate)).toMatchObject({ body: length });
    }
  });

  it('reads 64 certificates of a client', async () => {
    let issuer = makeTestCertificate({ commonName: 'link 0', authority: true });
    const chain = [issuer];
    for (let i = 1; i < 70; i++) {
      issuer = makeTestCertificate({ commonName: `link ${i}`, authority: true, issuer });
      chain.unshift(issuer);
    }
    const leaf = makeTestCertificate({ commonName: 'leaf', issuer });
    const cert = [leaf, ...chain].map(({ certificate }) => certificate).join('');
    const { port } = await listen(chainLength, { tls: material() });
    expect(await fetchHttp1(port, { cert, key: leaf.key })).toMatchObject({ body: '64' });
  });

  it('uses new certificates for new connections, and keeps the old connections', async () => {
    const { port, listener } = await listen(chainLength);
    const [old, oldHttp1] = [session(port), await shaken(port, { ALPNProtocols: ['http/1.1'] })];
    await fetchHttp2(old, {});
    const renewed = makeTestCertificate({ commonName: 'renewed', issuer: authority, hosts: ['localhost'] });
    listener.setTls(material({ certificate: renewed.certificate, key: renewed.key, minVersion: 'TLSv1.3' }));
    for (const protocol of ['h2', 'http/1.1']) {
      const socket = await shaken(port, { ALPNProtocols: [protocol] });
      expect(socket.getPeerCertificate().subject.CN).toBe('renewed');
    }
    expect(await fetchHttp2(old, {})).toMatchObject({ status: 200 });
    oldHttp1.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect((await unasked(oldHttp1)).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
