import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer } from '../harness/api-server.ts';

/** Options of Node with which a server's garbage can be collected from outside. */
export const inspectable = ['--inspect=127.0.0.1:0'];

/** Resident memory after everything that is not needed was given back, in bytes. */
export interface ServerMemory {
  /** The process's own: heap, buffers, code. */
  readonly own: number;
  /** Pages of files that are mapped, the embedded store's above all: the kernel takes them back when it needs them. */
  readonly mapped: number;
}

/** Collects a server's garbage and reads how much is resident. The server must have been started as `inspectable`. */
export async function memoryAfterCollection(server: ApiServer): Promise<ServerMemory> {
  const address = /ws:\/\/\S+/.exec(server.stderr)?.[0];
  if (address === undefined) throw new Error('the server cannot be inspected');
  // Freed memory goes back to the system some time later.
  for (let round = 0; round < 3; round++) {
    await collectGarbage(address);
    await sleep(500);
  }
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { own: bytes('RssAnon'), mapped: bytes('RssFile') };
}

async function collectGarbage(address: string): Promise<void> {
  const socket = new WebSocket(address);
  const done = Promise.withResolvers<void>();
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  socket.onmessage = ({ data }) => {
    if (JSON.parse(String(data)).id === 1) done.resolve();
  };
  socket.onerror = () => done.reject(new Error('the inspector does not answer'));
  await done.promise;
  socket.close();
}
