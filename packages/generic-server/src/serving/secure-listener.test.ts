import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import { authority, fetchHttp1, fetchHttp2, listen, raw, serving, session } from '../testing/listener-fixture.js';
import { bytes, echo } from '../testing/test-responses.js';
import type { TlsMaterial } from './tls/tls-material.js';

describe('the listener', () => {
  it('refuses old TLS and speaks HTTP/1.1 without ALPN', async () => {
    const { port } = await listen(echo);
    await expect(fetchHttp1(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
    expect(await fetchHttp1(port, { ALPNProtocols: [] })).toMatchObject({ status: 200 });
  });

  it('shares its port only with processes that request it too', async () => {
    const { port } = await listen(echo, {}, { sharePort: true });
    await expect(listen(echo, {}, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await listen(echo, {}, { port, sharePort: true })).toMatchObject({ port });
    const alone = await listen(echo);
    await expect(listen(echo, {}, { port: alone.port, sharePort: true })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('gives up a head that does not end, and a handshake that does not begin', async () => {
    const { port } = await listen(echo, { headersTimeout: 300 });
    const dripping = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    dripping.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const drops = setInterval(() => dripping.write('X: y\r\n'), 50);
    const silent = connectTcp(port, '127.0.0.1');
    const ended = [dripping, silent].map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)),
    );
    const begun = performance.now();
    for (const socket of [dripping, silent]) socket.resume();
    await Promise.all(ended);
    clearInterval(drops);
    expect(performance.now() - begun).toBeGreaterThan(250);
    expect(await fetchHttp1(port)).toMatchObject({ status: 200 });
  });

  it('finishes open requests when it closes, and aborts longer ones', async () => {
    let finish: (() => void) | undefined;
    const { port, listener } = await listen(
      (exchange) =>
        new Promise((resolve) => {
          if (exchange.request.path === '/slow') finish = () => resolve(bytes(200, 'done'));
        }),
    );
    const client = session(port);
    const slow = fetchHttp2(client, { ':path': '/slow' });
    const never = fetchHttp2(client, { ':path': '/never' }).catch(() => 'cut off');
    await expect.poll(() => finish).toBeDefined();
    const closed = listener.close(2_000);
    setImmediate(() => finish?.());
    expect(await slow).toMatchObject({ status: 200, body: 'done' });
    await closed;
    await never;
    await expect(fetchHttp1(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('ends a head that is half there when it is closed again with less patience', async () => {
    const { listener, port } = await listen(() => ({ type: 'bytes', status: 200, body: undefined }));
    const response = raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n').catch(() => 'reset');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const patient = listener.close(60_000);
    await listener.close(0);
    await patient;
    expect(['', 'reset']).toContain(await response);
  });

  it.each([
    ['at once', false],
    ['for the first connection', true],
  ])('serves new connections with new certificates, where it reads them %s', async (_, tlsAtFirstConnection) => {
    const { port, listener } = await listen(echo, { tlsAtFirstConnection });
    const other = makeTestCertificate({ commonName: 'renewed', issuer: authority, hosts: ['localhost'] });
    listener.setTls({
      certificate: other.certificate,
      key: other.key,
      clientCA: '',
      minVersion: 'TLSv1.2',
      cipherSuites: [],
    });
    const name = await new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificate }, () => {
        resolve(socket.getPeerCertificate().subject.CN);
        socket.destroy();
      });
    });
    expect(name).toBe('renewed');
  });

  it.each([
    ['at once', false],
    ['for the first connection', true],
  ])('keeps its certificates if new ones cannot be used, where it reads them %s', async (_, tlsAtFirstConnection) => {
    const { port, listener } = await listen(echo, { tlsAtFirstConnection });
    const { certificate, key } = serving;
    const tls: TlsMaterial = { certificate, key, clientCA: '', minVersion: 'TLSv1.2', cipherSuites: [] };
    const bad = { certificate: 'none', key: '' };
    for (const unusable of [
      { ...tls, ...bad },
      { ...tls, named: [{ ...bad, names: ['localhost'] }] },
    ]) {
      expect(() => listener.setTls(unusable)).toThrow(expect.objectContaining({ code: 'ERR_OSSL_PEM_NO_START_LINE' }));
    }
    expect(await fetchHttp1(port)).toMatchObject({ status: 200 });
  });

  it('refuses certificates that cannot be used, or the connections if it reads them later', async () => {
    const tls: TlsMaterial = { certificate: 'none', key: '', clientCA: '', minVersion: 'TLSv1.2', cipherSuites: [] };
    await expect(listen(echo, { tls })).rejects.toMatchObject({ code: 'ERR_OSSL_PEM_NO_START_LINE' });
    const { port, lines, listener } = await listen(echo, { tls, tlsAtFirstConnection: true });
    await expect(fetchHttp1(port)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(lines).toMatchObject([{ message: 'The serving certificates cannot be used' }]);
    listener.setTls({ ...tls, certificate: serving.certificate, key: serving.key });
    expect(await fetchHttp1(port)).toMatchObject({ status: 200 });
  });
});
