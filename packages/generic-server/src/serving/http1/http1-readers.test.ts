import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { Http1Readers } from './http1-readers.js';

/** A socket that accepts one byte for each `done`. */
class StubbornSocket extends Duplex {
  bytesWritten = 0;
  /** Stands for the handle that Node has below a socket. */
  readonly _handle = { writeQueueSize: 1_000 };
  #done: (() => void)[] = [];

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    this.#done.push(done);
  }

  send(count: number): void {
    for (let byte = 0; byte < count; byte++) this.write('x');
    this.bytesWritten += count;
  }

  acknowledge(): void {
    this.#done.shift()?.();
  }
}

it.each<[string, (socket: StubbornSocket, second: number) => void, boolean, number | undefined]>([
  ['that takes nothing', (socket, second) => second === 0 && socket.send(3), false, 30],
  ['for which nothing waits', () => {}, false, undefined],
  [
    'that takes a little now and then',
    (socket, second) => (second === 0 ? socket.send(9) : second % 20 === 0 && socket.acknowledge()),
    false,
    undefined,
  ],
  [
    'that takes a little of one write now and then',
    (socket, second) => (second === 0 ? socket.send(1) : second % 20 === 0 && socket._handle.writeQueueSize--),
    false,
    undefined,
  ],
  [
    'that stops',
    (socket, second) => (second === 0 ? socket.send(9) : second === 20 && socket.acknowledge()),
    false,
    50,
  ],
  ['that may read when it likes', (socket, second) => second === 0 && socket.send(3), true, undefined],
])('breaks off a connection %s, or not', (_which, act, isPatient, expected) => {
  const socket = new StubbornSocket();
  const readers = new Http1Readers(isPatient ? new WeakSet([socket]) : new WeakSet());
  readers.accept(socket);
  let brokenOff: number | undefined;
  for (let second = 0; second <= 100 && brokenOff === undefined; second += 5) {
    act(socket, second);
    readers.sweep(second * 1_000, 30_000);
    if (socket.destroyed) brokenOff = second;
  }
  expect(brokenOff).toBe(expected);
});
