import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, JobResult } from './load-generator.ts';
import type { Measurement } from './measurement.ts';

/** The load generator in a process of its own, which takes one job at a time. */
export class LoadProcess implements Disposable {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));

  async run(job: Job): Promise<Measurement> {
    this.#child.send(job);
    const [result]: [JobResult] = (await once(this.#child, 'message')) as [JobResult];
    if ('error' in result) throw new Error(result.error);
    return result.measurement;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
