import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { GrpcChannel } from './grpc-channel.js';
import { frameMessage } from './message-frames.js';

/** Accepts calls without responding; counts pings. */
async function silentServer() {
  const seen = { pings: 0, calls: 0, sessions: 0 };
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    seen.sessions++;
    session.on('ping', () => seen.pings++);
  });
  server.on('stream', (stream) => {
    seen.calls++;
    stream.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Sends GOAWAY: streams after the first one are not served. */
    takeLeave() {
      for (const session of sessions) session.goaway(0, 1);
    },
    [Symbol.dispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

it('pings a server no more often than servers accept', async () => {
  using server = await silentServer();
  const clock = new ManualClock();
  const keepalive = { interval: 30_000, timeout: 10_000 };
  const channel = new GrpcChannel({ url: server.url, tls: {}, clock, connectTimeout: 5000, keepalive });
  const call = () => channel.call('/a/b', new Uint8Array(0), 60_000).catch(String);
  const calls = Array.from({ length: 30 }, call);
  await expect.poll(() => server.seen.calls).toBe(30);
  for (let i = 0; i < 30; i++) channel.probe();
  await expect.poll(() => server.seen.pings).toBe(1);
  clock.advance(4999);
  channel.probe();
  // A ping would have arrived before this call.
  calls.push(call());
  await expect.poll(() => server.seen.calls).toBe(31);
  expect(server.seen.pings).toBe(1);
  clock.advance(1);
  channel.probe();
  await expect.poll(() => server.seen.pings).toBe(2);
  channel.close();
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['GrpcError: the connection is closed']));
});

it('pings connections with pending requests, also after GOAWAY, and no others', async () => {
  using server = await silentServer();
  const clock = new ManualClock();
  const keepalive = { interval: 30_000, timeout: 10_000 };
  const channel = new GrpcChannel({ url: server.url, tls: {}, clock, connectTimeout: 5000, keepalive });
  const stream = channel.open('/a/b', { message() {}, end() {} });
  await expect.poll(() => server.seen.calls).toBe(1);
  server.takeLeave();
  const calls: Promise<unknown>[] = [];
  const ask = () => {
    calls.push(channel.call('/a/b', new Uint8Array(0), 40_000).catch(() => {}));
    return server.seen.sessions;
  };
  await expect.poll(ask).toBe(2);
  clock.advance(30_000);
  await expect.poll(() => server.seen.pings).toBe(2);
  await sleep(20);
  stream.abort();
  clock.advance(10_000);
  await Promise.all(calls);
  clock.advance(60_000);
  await sleep(20);
  expect(server.seen.pings).toBe(2);
  channel.close();
});

it.each([
  [0, 'received no response message from non-server-streaming RPC'],
  [2, 'expected <EOF> for non server-streaming RPCs, but received another message'],
])('refuses %i messages in the response to a call, as grpc-go', async (count, fault) => {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end(Buffer.concat(Array.from({ length: count }, (_, i) => frameMessage(Buffer.of(i)))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keepalive = { interval: 30_000, timeout: 10_000 };
  const channel = new GrpcChannel({ url, tls: {}, clock: new ManualClock(), connectTimeout: 5000, keepalive });
  await expect(channel.call('/a/b', new Uint8Array(0), 60_000)).rejects.toMatchObject({
    grpcCode: 13,
    message: `cardinality violation: ${fault}`,
  });
  channel.close();
  server.close();
});
