import type { AdminClient } from '../harness/admin-client.ts';

/** A server's own metrics, from /metrics. The names are the same for every implementation. */
export interface ServerStatistics {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /**
   * Milliseconds that turns of the event loop came late, since the last look: 99 of 100 samples were not later.
   * Undefined for servers without an event loop.
   */
  readonly eventLoopDelayP99: number | undefined;
  /** The same of the latest turn of all. */
  readonly eventLoopDelayMax: number | undefined;
}

/**
 * prom-client samples the event loop every 10 ms and reports the time between two samples, this interval included: an
 * idle server reports 10 to 12. A single delay below the interval may go unseen.
 */
const samplingIntervalMs = 10;

/** Reads /metrics once. Throws if the server lacks a needed metric. */
export async function readStatistics(client: AdminClient): Promise<ServerStatistics> {
  const { status, body } = await client.request('GET', '/metrics');
  if (status !== 200) throw new Error(`/metrics responded ${status}`);
  const value = (name: string) => {
    const text = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(body)?.[1];
    return text === undefined ? undefined : Number(text);
  };
  const cpuSeconds = value('process_cpu_seconds_total');
  if (cpuSeconds === undefined) throw new Error('/metrics has no process_cpu_seconds_total');
  const delay = (name: string) => {
    const seconds = value(name);
    return seconds === undefined ? undefined : Math.max(0, seconds * 1000 - samplingIntervalMs);
  };
  return {
    cpuSeconds,
    residentBytes: value('process_resident_memory_bytes') ?? Number.NaN,
    eventLoopDelayP99: delay('nodejs_eventloop_lag_p99_seconds'),
    eventLoopDelayMax: delay('nodejs_eventloop_lag_max_seconds'),
  };
}

/** The difference of two statistics: the work of a server in between. */
export interface Worked<T> {
  readonly result: T;
  /** Of the whole process. */
  readonly cpuSeconds: number;
  readonly after: ServerStatistics;
}

/**
 * Runs `work` and returns its cost for the server. Reading statistics costs as much as some dozens of requests; that is
 * subtracted.
 */
export async function whileWorking<T>(client: AdminClient, work: () => Promise<T>): Promise<Worked<T>> {
  const first = await readStatistics(client);
  const before = await readStatistics(client);
  const result = await work();
  const after = await readStatistics(client);
  const reading = before.cpuSeconds - first.cpuSeconds;
  return { result, after, cpuSeconds: after.cpuSeconds - before.cpuSeconds - reading };
}
