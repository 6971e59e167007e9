/**
 * Runs inside the server, by --import. Measures each request of an HTTP/2 connection in the server: from the read of
 * its first bytes until the last bytes of its response are handed to the socket.
 */
import { appendFileSync } from 'node:fs';
import { Server, type TLSSocket } from 'node:tls';
import { FrameReader } from '../probe/frame-reader.ts';
import { openWaits } from '../probe/open-waits.ts';

/** The environment variable with the file to which the probe appends one JSON object a connection. */
export const STREAM_PROBE_FILE = 'BENCH_STREAM_PROBE_FILE';

/** The requests of one connection, in milliseconds. */
export interface StreamRecord {
  readonly served: readonly number[];
  /** The part of it for which the server's main thread was ready, and had no processor. */
  readonly waited: readonly number[];
}

const HEADERS = 1;
const DATA = 0;
const END_STREAM = 1;
const PREFACE_BYTES = 24;

const file = process.env[STREAM_PROBE_FILE];
const { emit } = Server.prototype;

if (file !== undefined) {
  const waited = openWaits();
  Server.prototype.emit = function (this: Server, ...values: Parameters<typeof emit>): boolean {
    const [name, socket] = values as unknown as [string, TLSSocket];
    const hasListeners = emit.apply(this, values);
    // The server replaces `push` of its sockets, so the probe has to come later.
    if (name === 'secureConnection' && socket.alpnProtocol === 'h2') probe(socket, file, waited);
    return hasListeners;
  } as typeof emit;
}

function probe(socket: TLSSocket, to: string, waitedSoFar: () => number): void {
  const begun = new Map<number, readonly [time: number, waited: number]>();
  const served: number[] = [];
  const waited: number[] = [];
  const requests = new FrameReader(PREFACE_BYTES, (type, _flags, stream) => {
    if (type === HEADERS) begun.set(stream, [performance.now(), waitedSoFar()]);
  });
  const responses = new FrameReader(0, (type, flags, stream) => {
    if ((type !== DATA && type !== HEADERS) || (flags & END_STREAM) === 0) return;
    const request = begun.get(stream);
    if (request === undefined) return;
    begun.delete(stream);
    served.push(performance.now() - request[0]);
    waited.push(waitedSoFar() - request[1]);
  });
  const push = socket.push.bind(socket);
  socket.push = (...values) => {
    if (values[0] instanceof Uint8Array) requests.read(values[0]);
    return push(...values);
  };
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean;
  socket.write = (...values: unknown[]) => {
    if (values[0] instanceof Uint8Array) responses.read(values[0]);
    return write(...values);
  };
  socket.on('close', () => {
    const record: StreamRecord = { served, waited };
    appendFileSync(to, `${JSON.stringify(record)}\n`);
  });
}
