import { Duplex } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { EndsInTurns } from './ends-in-turns.js';

it('lets the ends of sockets take turns, after all of their bytes', async () => {
  const ends = new EndsInTurns();
  const ended: string[] = [];
  const sockets = Array.from({ length: 100 }, (_, i) => {
    const socket = new Duplex({ read() {}, write() {} });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('end', () => {
      ended.push(text);
      for (const until = performance.now() + 0.5; performance.now() < until; );
    });
    ends.watch(socket);
    socket.push(`bytes of ${i}`);
    return socket;
  });
  for (const socket of sockets) socket.push(null);
  const seen = new Set<number>();
  for (; ended.length < sockets.length; await new Promise(setImmediate)) seen.add(ended.length);
  expect(ended).toEqual(sockets.map((_, i) => `bytes of ${i}`));
  expect(seen.size).toBeGreaterThan(10);
});

it('lets the pieces of sockets take turns after some milliseconds, in their order', async () => {
  const ends = new EndsInTurns();
  const order: number[] = [];
  const texts = Array.from({ length: 100 }, (_, i) => {
    const socket = new Duplex({ read() {}, write() {} });
    const text: string[] = [];
    socket.on('data', (chunk) => {
      order.push(i);
      text.push(String(chunk));
      for (const until = performance.now() + 0.25; performance.now() < until; );
    });
    socket.once('end', () => text.push('end'));
    ends.watch(socket);
    socket.resume();
    return { socket, text };
  });
  await new Promise(setImmediate);
  for (const piece of ['a', 'b', null]) for (const { socket } of texts) socket.push(piece);
  const seen = new Set<number>();
  const hasEnded = () => texts.every(({ text }) => text.includes('end'));
  for (; !hasEnded(); await new Promise(setImmediate)) seen.add(order.length);
  expect(texts.map(({ text }) => text.join())).toEqual(texts.map(() => 'a,b,end'));
  expect(seen.size).toBeGreaterThan(10);
});

it('goes on after an end that throws', async () => {
  const ends = new EndsInTurns();
  const seen: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => seen.push(error.message));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const failing = (message: string) => () => {
    throw new Error(message);
  };
  for (const end of [failing('first'), () => seen.push('second'), failing('third'), () => seen.push('fourth')]) {
    ends.add(end);
  }
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  ends.add(() => seen.push('later'));
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(seen).toEqual(['first', 'second', 'third', 'fourth', 'later']);
});
