import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
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
