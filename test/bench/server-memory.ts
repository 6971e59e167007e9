import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer } from '../harness/api-server.ts';

/** Options of Node with which a server's garbage can be collected from outside. */
export const inspectable = ['--inspect=127.0.0.1:0'];

/** Resident memory after everything that is not needed was given back, in bytes. */
export interface ServerMemory {
  /** The process's own: heap, buffers, code. */
  readonly own: number;
  /** Of that V8's heap, used or not. */
  readonly heap: number;
  /** Memory of ArrayBuffers, mostly the bytes of objects. They may have touched only a part of it. */
  readonly buffers: number;
  /** Pages of files that are mapped, the embedded store's above all: the kernel takes them back when it needs them. */
  readonly mapped: number;
}

/** Collects a server's garbage and reads how much is resident. The server must have been started as `inspectable`. */
export async function memoryAfterCollection(server: ApiServer): Promise<ServerMemory> {
  const address = /ws:\/\/\S+/.exec(server.stderr)?.[0];
  if (address === undefined) throw new Error('the server cannot be inspected');
  // Freed memory goes back to the system some time later.
  for (let round = 0; round < 3; round++) {
    await ask(address, 'HeapProfiler.collectGarbage');
    await sleep(500);
  }
  const usage = JSON.parse(await evaluate(address, 'JSON.stringify(process.memoryUsage())'));
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { own: bytes('RssAnon'), heap: usage.heapTotal, buffers: usage.arrayBuffers, mapped: bytes('RssFile') };
}

async function evaluate(address: string, expression: string): Promise<string> {
  const { result } = (await ask(address, 'Runtime.evaluate', { expression })) as { result: { value: string } };
  return result.value;
}

/** The inspector's response to one question. */
async function ask(address: string, method: string, params: object = {}): Promise<unknown> {
  const socket = new WebSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method, params }));
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    if (id === 1) resolve(result);
  };
  socket.onerror = () => reject(new Error('the inspector does not respond'));
  try {
    return await promise;
  } finally {
    socket.close();
  }
}
