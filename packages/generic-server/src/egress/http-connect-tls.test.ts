import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { makeTestCertificate, type TestCertificate } from '@apiserver/authentication/testing';
import { dialErrorText } from '@apiserver/proxy/backend';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TlsConfig } from './egress-configuration.js';
import { httpConnectDialer, proxyTargetOf } from './http-connect.js';

const authority = makeTestCertificate({ commonName: 'authority', authority: true });
const stranger = makeTestCertificate({ commonName: 'stranger', authority: true });
const proxyNamed = (...hosts: readonly string[]) =>
  makeTestCertificate({ commonName: 'proxy', issuer: authority, ...(hosts.length > 0 && { hosts }) });
const oldAuthority = makeTestCertificate({
  commonName: 'old',
  authority: true,
  notAfter: new Date('2021-02-03T04:05:06Z'),
});
const client = makeTestCertificate({ commonName: 'kube-apiserver', issuer: authority });

let folder = '';
const servers: Server[] = [];
const sockets = new Set<Duplex>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'egress-tls-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('ca.crt', `a comment\n${stranger.certificate}${authority.certificate}`);
  write('stranger.crt', stranger.certificate);
  write('old.crt', oldAuthority.certificate);
  write('client.crt', client.certificate);
  write('client.key', client.key);
  write('stranger.key', stranger.key);
  write('empty.crt', 'no certificate');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** A proxy that wants a client of the authority, and responds to each CONNECT with a greeting. */
async function proxy({ certificate, key }: TestCertificate) {
  const seen: string[] = [];
  const server = createServer({ cert: certificate, key, ca: authority.certificate, requestCert: true });
  server.on('secureConnection', (socket) => sockets.add(socket));
  server.on('connect', ({ url }, socket: TLSSocket) => {
    seen.push(`${socket.getPeerCertificate().subject.CN} ${url}`);
    // The client speaks first.
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.on('error', () => {}).once('data', (bytes) => socket.write(`hello, ${bytes}`));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}

function dialer(port: number, changes: TlsConfig = {}) {
  const file = (name: string) => join(folder, name);
  const files = { caBundle: 'ca.crt', clientCert: 'client.crt', clientKey: 'client.key', ...changes };
  const { caBundle, clientCert, clientKey, ...rest } = files;
  const tlsConfig = { ...rest, clientCert: file(clientCert), clientKey: file(clientKey) };
  const target = {
    url: `https://127.0.0.1:${port}`,
    tlsConfig: { ...tlsConfig, ...(caBundle && { caBundle: file(caBundle) }) },
  };
  return httpConnectDialer(proxyTargetOf({ tcp: target }));
}

const BACKEND = { hostname: '10.0.0.1', port: 443 };

describe('HTTPConnect over TLS', () => {
  it.each<[name: string, TestCertificate, TlsConfig]>([
    ['an address', proxyNamed('127.0.0.1'), {}],
    ['another name', proxyNamed('proxy.example'), { tlsServerName: 'proxy.example' }],
  ])('shows its certificate to a proxy that is verified by %s', async (_name, certificate, changes) => {
    const { seen, port } = await proxy(certificate);
    const socket = await dialer(port, changes)(BACKEND);
    sockets.add(socket);
    socket.write('backend');
    expect([String((await once(socket, 'data'))[0]), seen]).toEqual([
      'hello, backend',
      ['kube-apiserver 10.0.0.1:443'],
    ]);
  });

  it.each<[name: string, TestCertificate, TlsConfig, reason: string]>([
    [
      'of another authority',
      proxyNamed('127.0.0.1'),
      { caBundle: 'stranger.crt' },
      'certificate signed by unknown authority',
    ],
    [
      'of no authority that the machine trusts',
      proxyNamed('127.0.0.1'),
      { caBundle: '' },
      'certificate signed by unknown authority',
    ],
    [
      'of an authority that has expired',
      makeTestCertificate({ commonName: 'proxy', issuer: oldAuthority, hosts: ['127.0.0.1'] }),
      { caBundle: 'old.crt' },
      'certificate has expired or is not yet valid: current time NOW is after 2021-02-03T04:05:06Z',
    ],
    [
      'with another address and of another authority',
      proxyNamed('10.0.0.1', '10.0.0.2'),
      { caBundle: 'stranger.crt' },
      'certificate is valid for 10.0.0.1, 10.0.0.2, not 127.0.0.1',
    ],
    [
      'with another name',
      proxyNamed('proxy.example'),
      {},
      "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
    [
      'with a common name only',
      proxyNamed(),
      { tlsServerName: 'proxy' },
      'certificate relies on legacy Common Name field, use SANs instead',
    ],
  ])('refuses a proxy %s', async (_name, certificate, changes, reason) => {
    const { seen, port } = await proxy(certificate);
    const error = await dialer(port, changes)(BACKEND).catch((thrown: unknown) => thrown);
    const location = { scheme: 'https', hostname: '10.0.0.1', port: '443', path: '', rawQuery: '' } as const;
    const text = dialErrorText(error, location).replace(/time \d{4}-\S+Z is/, 'time NOW is');
    expect([text, seen]).toEqual([`tls: failed to verify certificate: x509: ${reason}`, []]);
  });

  it.each<[TlsConfig, message: string]>([
    [{ clientKey: 'stranger.key' }, 'failed to read key pair DIR/client.crt & DIR/stranger.key, got '],
    [{ clientCert: 'none.crt' }, 'got open DIR/none.crt: no such file or directory'],
    [
      { caBundle: 'none.crt' },
      'failed to read cert file DIR/none.crt, got open DIR/none.crt: no such file or directory',
    ],
    [{ caBundle: 'empty.crt' }, 'failed to append CA cert to the cert pool'],
  ])('refuses the files %j at once', (changes, message) => {
    expect(() => dialer(1, changes)).toThrow(message.replaceAll('DIR', folder));
  });
});
