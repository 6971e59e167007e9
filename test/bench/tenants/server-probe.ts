/**
 * Runs inside the server, by --import. Records when bytes of the quiet tenant's connections are read, and when bytes
 * are written to them; and, as often as any client sends something, how long the main thread has waited for a processor
 * so far.
 */
import { appendFileSync } from 'node:fs';
import { Server, type TLSSocket } from 'node:tls';
import { openWaits } from '../probe/open-waits.ts';
import { monotonicNow, PROBE_FILE, PROBED_ADDRESS, type ProbeRecord, type WaitSample } from './probe-record.ts';

const file = process.env[PROBE_FILE];
const { emit } = Server.prototype;
const waits = new Set<WaitSample[]>();

if (file !== undefined) {
  const waited = openWaits();
  const sample = () => {
    const time = monotonicNow();
    if (waits.size === 0) return time;
    const value: WaitSample = [time, waited()];
    for (const samples of waits) samples.push(value);
    return time;
  };
  Server.prototype.emit = function (this: Server, ...values: Parameters<typeof emit>): boolean {
    const [name, socket] = values as unknown as [string, TLSSocket];
    const hasListeners = emit.apply(this, values);
    // The server replaces `push` of its sockets, so the probe has to come later.
    if (name === 'secureConnection') {
      onRead(socket, sample);
      if (PROBED_ADDRESS.test(socket.remoteAddress ?? '')) probe(socket, file, sample);
    }
    return hasListeners;
  } as typeof emit;
}

/** Calls the function before each chunk of the socket. */
function onRead(socket: TLSSocket, called: () => void): void {
  const push = socket.push.bind(socket);
  socket.push = (...values) => {
    called();
    return push(...values);
  };
}

function probe(socket: TLSSocket, to: string, sample: () => number): void {
  const address = socket.remoteAddress ?? '';
  const reads: number[] = [];
  const writes: number[] = [];
  const samples: WaitSample[] = [];
  waits.add(samples);
  onRead(socket, () => void reads.push(sample()));
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean;
  socket.write = (...values: unknown[]) => {
    const result = write(...values);
    writes.push(sample());
    return result;
  };
  socket.on('close', () => {
    waits.delete(samples);
    const record: ProbeRecord = { address, reads, writes, waits: samples };
    appendFileSync(to, `${JSON.stringify(record)}\n`);
  });
}
