import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '../../testing/listener-fixture.js';

it('reports plain HTTP on a TLS port to the client', async () => {
  const { port } = await listen(() => ({ type: 'bytes', status: 200, body: Buffer.from('ok') }));
  const response = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  expect(response).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
});
