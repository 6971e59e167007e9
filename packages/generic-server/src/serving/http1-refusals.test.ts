import { Buffer } from 'node:buffer';
import { connect as connectTcp } from 'node:net';
import type { Handler } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { fetchHttp1, fetchHttp2, listen, raw, session } from '../testing/listener-fixture.js';

const ok: Handler = () => ({ type: 'bytes', status: 200, body: Buffer.from('ok') });

describe('a request that is malformed', () => {
  it.each<[string, string, RegExp]>([
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 Bad Request\r\n.*Connection: close\r\n\r\n400 Bad Request$/s],
    [
      'no Host',
      'GET / HTTP/1.1\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request: missing required Host header\r\nContent-Type: text\/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request: missing required Host header$/,
    ],
    [
      'a broken escape',
      'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: text\/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request$/,
    ],
    [
      'a head over 1 MiB',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(1_100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/,
    ],
  ])('(%s) is refused', async (_, request, answer) => {
    const { port } = await listen(ok);
    expect(await raw(port, request)).toMatch(answer);
    expect((await fetchHttp1(port)).status).toBe(200);
  });

  it('(a broken escape on HTTP/2) is refused, and the connection lives on', async () => {
    const { port } = await listen(ok);
    const client = session(port);
    expect(await fetchHttp2(client, { ':path': '/%zz' })).toMatchObject({ status: 400 });
    expect(await fetchHttp2(client, {})).toMatchObject({ status: 200 });
  });

  it('takes heads below 1 MiB', async () => {
    const { port } = await listen(ok);
    const headers = { 'x-large': 'x'.repeat(900_000) };
    expect(await fetchHttp1(port, { headers })).toMatchObject({ status: 200 });
  });

  it('(plain HTTP) is told so', async () => {
    const { port } = await listen(ok);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connectTcp(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
    expect(answer).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });
});
