import type { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { GrowingBytes } from '../backend/growing-bytes.js';

/** Upstream: maxHeaderBytes in streamtunnel.go, and the limit of net/http */
const MAX_HEAD_BYTES = 1024 * 1024;
/** As in a request. Upstream has no bound. */
const MAX_LINES = 4_000;

/** The head of an HTTP/1 response. */
export interface ResponseHead {
  readonly status: number;
  /** For example `101 Switching Protocols`. */
  readonly statusLine: string;
  /** Names are in lower case; repeated headers keep their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The raw bytes, including the final empty line. */
  readonly raw: Buffer;
}

/** The first value of a header, or "". */
export function headerOf({ headers }: ResponseHead, name: string): string {
  return headers.get(name)?.[0] ?? '';
}

/** Reads a response head and pauses the socket. Rejects if the socket ends first, or if the head is invalid. */
export function readResponseHead(socket: Duplex): Promise<{ readonly head: ResponseHead; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    const read = new GrowingBytes();
    const stop = () => {
      socket.pause();
      socket.off('data', onData).off('close', onClose).off('end', onClose);
    };
    const onClose = () => {
      stop();
      reject(new Error('unexpected EOF'));
    };
    const onData = (chunk: Buffer) => {
      const searched = Math.max(0, read.length - END_BYTES);
      read.append(chunk);
      const end = endOfHead(read.bytes, searched);
      if (end === -1 && read.length <= MAX_HEAD_BYTES) return;
      stop();
      const head = end === -1 ? undefined : parseHead(read.bytes.subarray(0, end));
      if (head === undefined) reject(new Error(`malformed HTTP response ${JSON.stringify(firstLine(read.bytes))}`));
      else resolve({ head, rest: read.bytes.subarray(end) });
    };
    socket.on('data', onData).once('close', onClose).once('end', onClose);
  });
}

const ENDS = ['\n\r\n', '\n\n'];
/** All but the last byte of the longest end. */
const END_BYTES = 2;

/** Accepts lines without a carriage return, as Go does. */
function endOfHead(bytes: Buffer, from: number): number {
  const ends = ENDS.map((end) => [bytes.indexOf(end, from), end.length] as const).filter(([at]) => at !== -1);
  const [first] = ends.sort(([a], [b]) => a - b);
  return first === undefined ? -1 : first[0] + first[1];
}

function firstLine(bytes: Buffer): string {
  return (bytes.toString('latin1', 0, 201).split('\n')[0] ?? '').trimEnd().slice(0, 200);
}

function parseHead(raw: Buffer): ResponseHead | undefined {
  const [first = '', ...lines] = raw
    .toString('latin1')
    .trimEnd()
    .split(/\r?\n/, MAX_LINES + 2);
  if (lines.length > MAX_LINES) return undefined;
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) return undefined;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    const values = headers.get(name);
    const value = line.slice(colon + 1).trim();
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return { status: Number(status), statusLine: first.slice('HTTP/1.1 '.length), headers, raw };
}
