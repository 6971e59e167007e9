import { readFileSync } from 'node:fs';

/** The environment variable with the file to which the probe of a server appends one JSON object a connection. */
export const PROBE_FILE = 'BENCH_PROBE_FILE';

/** The addresses from which the quiet tenant connects. No other client has them. */
export const PROBED_ADDRESS = /127\.0\.0\.[2-9]$/;

/** The events of one connection. Times are milliseconds of the monotonic clock, which all processes share. */
export interface ProbeRecord {
  /** The client's. */
  readonly address: string;
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly waits: readonly WaitSample[];
}

/** A time, and milliseconds until then for which the server's main thread was ready, and had no processor. */
export type WaitSample = readonly [time: number, waited: number];

/** One request, as its client saw it. */
export interface Sent {
  readonly begun: number;
  readonly ended: number;
}

/** Milliseconds of a request inside the server. */
export interface Stay {
  /** From the write of the client until the server read it. */
  readonly unread: number;
  /** From then until the response was written. */
  readonly served: number;
  /** Of both, without the time for which the server's main thread had no processor. */
  readonly own: number;
}

export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function readRecords(file: string): ProbeRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ProbeRecord);
}

/** Finds the time of each request in the server. A connection has one request at a time. */
export function staysOf(sent: readonly Sent[], record: ProbeRecord | undefined): Stay[] {
  if (record === undefined) return [];
  return sent.flatMap(({ begun, ended }) => {
    const read = record.reads.find((time) => time >= begun);
    const written = record.writes.findLast((time) => time <= ended);
    if (read === undefined || written === undefined || read > written) return [];
    const waited = waitedUntil(written, record.waits) - waitedUntil(begun, record.waits);
    return [{ unread: read - begun, served: written - read, own: Math.max(0, written - begun - waited) }];
  });
}

/** Between two samples, the thread is taken to wait evenly. */
function waitedUntil(time: number, samples: readonly WaitSample[]): number {
  const next = samples.findIndex(([at]) => at >= time);
  const after = samples[next];
  const before = samples[next - 1] ?? after;
  if (after === undefined || before === undefined) return samples.at(-1)?.[1] ?? 0;
  const share = after[0] === before[0] ? 0 : (time - before[0]) / (after[0] - before[0]);
  return before[1] + (after[1] - before[1]) * share;
}
