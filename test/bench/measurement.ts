/** The measurement of one scenario, without the server's own metrics. */
export interface Measurement {
  readonly operations: number;
  readonly seconds: number;
  /** Milliseconds of every operation, sorted. */
  readonly latencies: readonly number[];
  readonly bytes: number;
  /** Responses that the scenario did not expect. */
  readonly failures: number;
}

/** The value below which `share` of the sorted values lie. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Does `operations` calls, `concurrency` at a time, as fast as the responses come. */
export async function measure(
  operations: number,
  concurrency: number,
  call: (index: number) => Promise<{ readonly ok: boolean; readonly bytes: number }>,
): Promise<Measurement> {
  const latencies: number[] = [];
  let next = 0;
  let bytes = 0;
  let failures = 0;
  const worker = async () => {
    while (next < operations) {
      const begun = performance.now();
      const result = await call(next++);
      latencies.push(performance.now() - begun);
      bytes += result.bytes;
      if (!result.ok) failures++;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - begun) / 1000;
  return { operations, seconds, latencies: latencies.sort((a, b) => a - b), bytes, failures };
}
