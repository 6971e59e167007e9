import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { systemClock } from '@apiserver/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { DialledSocket } from './dialled-socket.js';
import { GrpcChannel } from './grpc-channel.js';

describe('a dialled socket', () => {
  it('keeps what is written until it is connected', async () => {
    const [near, far] = duplexPair();
    const dialling = Promise.withResolvers<Duplex>();
    const socket = new DialledSocket(() => dialling.promise);
    socket.write('early');
    const connected = once(socket, 'connect');
    dialling.resolve(near);
    await connected;
    expect(String((await once(far, 'data'))[0])).toBe('early');
    far.write('answer');
    expect(String((await once(socket, 'data'))[0])).toBe('answer');
    far.end();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  it('fails as its dial', async () => {
    const socket = new DialledSocket(() => Promise.reject(new Error('no way')));
    expect((await once(socket, 'error'))[0]).toMatchObject({ message: 'no way' });
  });

  it('gives its dial up when it is destroyed, and closes a connection that comes too late', async () => {
    const [near] = duplexPair();
    const dialling = Promise.withResolvers<Duplex>();
    let signal: AbortSignal | undefined;
    const socket = new DialledSocket((given) => {
      signal = given;
      return dialling.promise;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const closed = once(socket, 'close');
    socket.destroy();
    expect(signal?.aborted).toBe(true);
    dialling.resolve(near);
    await closed;
    expect(near.destroyed).toBe(true);
  });
});

const server = createServer();
afterEach(() => server.close());

it('a channel reaches its server through the dialer', async () => {
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 1, 7]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked: object[] = [];
  const channel = new GrpcChannel({
    url: 'http://etcd.example:2379',
    tls: {},
    clock: systemClock,
    connectTimeout: 5_000,
    keepalive: { interval: 30_000, timeout: 10_000 },
    dial: async (target) => {
      asked.push(target);
      return connect((server.address() as AddressInfo).port, '127.0.0.1');
    },
  });
  expect([...(await channel.call('/a/b', new Uint8Array(0), 5_000))]).toEqual([7]);
  expect(asked).toEqual([{ hostname: 'etcd.example', port: 2379 }]);
  channel.close();
});
