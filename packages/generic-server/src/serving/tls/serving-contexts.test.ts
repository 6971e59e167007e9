import { Buffer } from 'node:buffer';
import { connect as connectTls } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import { authority, fetchHttp1, fetchHttp2, listen, session } from '../../testing/listener-fixture.js';

const echo: Handler = async () => ({ type: 'bytes', status: 200, body: Buffer.from('ok') });

describe('named certificates', () => {
  const pair = (commonName: string, ...names: string[]) => {
    const { certificate, key } = makeTestCertificate({ commonName, issuer: authority, hosts: ['127.0.0.1'] });
    return { certificate, key, names };
  };
  const tls = (...named: ReturnType<typeof pair>[]) => ({
    certificate: main.certificate,
    key: main.key,
    clientCA: authority.certificate,
    minVersion: 'TLSv1.2' as const,
    cipherSuites: [],
    named,
  });
  const main = pair('main');
  /** The name in the certificate that the server shows for a server name, or without one. */
  const shown = (port: number, servername?: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ...(servername && { servername }) };
      const socket = connectTls(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const all = (port: number) => Promise.all([undefined, 'a.b', 'x.b', 'other.c'].map((name) => shown(port, name)));

  it('are selected by server name, in their current version', async () => {
    const { port, listener } = await listen(echo, { tls: tls(pair('exact', 'a.b'), pair('wildcard', '*.b')) });
    expect(await all(port)).toEqual(['main', 'exact', 'wildcard', 'main']);
    listener.setTls(tls(pair('renewed', 'a.b'), pair('wildcard', '*.b')));
    expect(await all(port)).toEqual(['main', 'renewed', 'wildcard', 'main']);
  });

  it('are selected by address without a server name', async () => {
    const { port, listener } = await listen(echo, { tls: tls(pair('address', '127.0.0.1'), pair('exact', 'a.b')) });
    expect(await all(port)).toEqual(['address', 'exact', 'main', 'main']);
    listener.setTls(tls(pair('renewed', '127.0.0.1'), pair('exact', 'a.b')));
    expect(await all(port)).toEqual(['renewed', 'exact', 'main', 'main']);
    const client = session(port, { rejectUnauthorized: false, servername: '' });
    expect((await fetchHttp2(client, { ':path': '/' })).status).toBe(200);
    expect((await fetchHttp1(port, { path: '/', rejectUnauthorized: false, servername: '' })).status).toBe(200);
    await listener.close(0);
    expect(client.closed || client.destroyed).toBe(true);
  });
});
