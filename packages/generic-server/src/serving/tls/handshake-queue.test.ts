import { Socket } from 'node:net';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { HandshakeQueue } from './handshake-queue.js';

const AT_ONCE = 16;

/** A queue, its connections, and their fates by number. */
function queueOf(count: number, patience = 60_000) {
  const sockets = Array.from({ length: count }, () => new Socket());
  const began: number[] = [];
  const lost: [number, string][] = [];
  const queue = new HandshakeQueue({
    begin: (socket) => began.push(sockets.indexOf(socket)),
    lost: (socket, { message }) => lost.push([sockets.indexOf(socket), message]),
    patience,
  });
  for (const socket of sockets) queue.accept(socket);
  return { queue, sockets, began, lost };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

it('begins a few handshakes at once, and others when their bytes are there', async () => {
  const { sockets, began } = queueOf(AT_ONCE + 3);
  await eventLoopTurns();
  expect(began).toEqual(numbers(0, AT_ONCE));
  for (const i of [AT_ONCE + 2, AT_ONCE]) sockets[i]?.emit('readable');
  expect(began.length).toBe(AT_ONCE);
  await expect.poll(() => began.slice(AT_ONCE)).toEqual([AT_ONCE + 2, AT_ONCE]);
});

it('begins those that arrive together in several turns', async () => {
  const { sockets, began } = queueOf(AT_ONCE + 200);
  const slow = began.push.bind(began);
  began.push = (index) => {
    for (const end = performance.now() + 0.5; performance.now() < end; );
    return slow(index);
  };
  for (const socket of sockets.slice(AT_ONCE)) socket.emit('readable');
  const seen = new Set<number>();
  for (; began.length < sockets.length; await new Promise(setImmediate)) seen.add(began.length);
  expect([...began]).toEqual(numbers(0, sockets.length));
  expect(seen.size).toBeGreaterThan(10);
});

it('begins further ones at once when handshakes are over', () => {
  const { queue, began } = queueOf(AT_ONCE);
  const next = new Socket();
  queue.over();
  queue.accept(next);
  expect(began.length).toBe(AT_ONCE + 1);
});

it('loses connections that end, fail or are silent, and begins none of them', async () => {
  const { sockets, began, lost } = queueOf(AT_ONCE + 4, 20);
  sockets[AT_ONCE]?.destroy();
  sockets[AT_ONCE + 1]?.destroy(new Error('read ECONNRESET'));
  sockets[AT_ONCE + 2]?.emit('readable');
  sockets[AT_ONCE + 2]?.destroy();
  await expect.poll(() => lost.length).toBe(4);
  const closed = 'the connection was closed before the TLS handshake';
  expect([...lost].sort(([a], [b]) => a - b)).toEqual([
    [AT_ONCE, closed],
    [AT_ONCE + 1, 'read ECONNRESET'],
    [AT_ONCE + 2, closed],
    [AT_ONCE + 3, 'TLS handshake timeout'],
  ]);
  expect(began).toEqual(numbers(0, AT_ONCE));
});

/** Runs with the errors that nobody catches in a list, instead of the end of the test run. */
async function withUncaught(run: (errors: unknown[]) => Promise<void>): Promise<void> {
  const listeners = process.listeners('uncaughtException');
  const errors: unknown[] = [];
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => errors.push(error));
  try {
    await run(errors);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
}

it('begins the others if one cannot begin', async () => {
  const { queue, sockets, began } = queueOf(AT_ONCE + 3);
  const take = began.push.bind(began);
  began.push = (index) => {
    if (index === AT_ONCE) throw new TypeError('no certificate');
    return take(index);
  };
  await withUncaught(async (errors) => {
    for (const socket of sockets.slice(AT_ONCE)) socket.emit('readable');
    await expect.poll(() => began.slice(AT_ONCE)).toEqual([AT_ONCE + 1, AT_ONCE + 2]);
    expect(errors.map(String)).toEqual(['TypeError: no certificate']);
  });
  // The failed one counts no more.
  for (let i = 0; i < 3; i++) queue.over();
  queue.accept(new Socket());
  expect(began.length).toBe(AT_ONCE + 3);
});
