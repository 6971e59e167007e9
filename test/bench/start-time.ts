import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { percentile } from './measurement.ts';

/** Milliseconds from spawn until the server says that it is ready, and the same for a Node that does nothing. */
export interface StartTimes {
  readonly server: number;
  readonly bareNode: number;
  /** Resident memory when it says so. */
  readonly residentMiB: number;
  /**
   * Of one of them, after a minute without requests: V8 has then collected the whole heap by itself. Other measurements
   * run meanwhile.
   */
  readonly idleMiB: Promise<number>;
}

const IDLE_MS = 60_000;

/** The median of `runs` starts: in `dataDirectory`, or in a new empty one each time. */
export async function measureStart(runs: number, dataDirectory?: string): Promise<StartTimes> {
  const server: number[] = [];
  const bareNode: number[] = [];
  const resident: number[] = [];
  let idleMiB = Promise.resolve(Number.NaN);
  for (let run = 1; run <= runs; run++) {
    bareNode.push(await bareNodeTime());
    await using resources = new AsyncDisposableStack();
    const folder = resources.use(temporaryDirectory('bench-start'));
    const begun = performance.now();
    const started = resources.use(await startApiServer({ dataDirectory: dataDirectory ?? join(folder.path, 'data') }));
    server.push(performance.now() - begun);
    resident.push(await residentMiB(started.child.pid));
    if (run < runs) await started.stop();
    else idleMiB = residentWhenIdle(started, resources.move());
  }
  // A caller that awaits it gets the failure.
  idleMiB.catch(() => {});
  return { server: median(server), bareNode: median(bareNode), residentMiB: median(resident), idleMiB };
}

async function residentWhenIdle(server: ApiServer, resources: AsyncDisposableStack): Promise<number> {
  await using _ = resources;
  await sleep(IDLE_MS);
  const resident = await residentMiB(server.child.pid);
  await server.stop();
  return resident;
}

/** Milliseconds from spawn to exit of a Node that does nothing. */
export async function bareNodeTime(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - begun;
}

/** From ps, because the server is not to be disturbed by a request. */
async function residentMiB(pid: number | undefined): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  ps.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(ps, 'close');
  return Number(text) / 1024;
}

function median(values: number[]): number {
  return percentile(
    values.sort((a, b) => a - b),
    0.5,
  );
}
