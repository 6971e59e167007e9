import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, LoadOrder, LoadReport } from './load-generator.ts';
import type { Measurement } from './measurement.ts';

/** A job whose connections and watches stand; they are closed with the scope. */
export interface PreparedLoad extends AsyncDisposable {
  measure(): Promise<Measurement>;
}

/** The load generator in a process of its own, which takes one job at a time. */
export class LoadProcess implements Disposable {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));

  /**
   * Opens connections and watches for the job, so that a server's statistics can be read right before and after the
   * job.
   */
  async prepare(job: Job): Promise<PreparedLoad> {
    await this.#order({ step: 'prepare', job });
    return {
      measure: async () => {
        const { measurement } = await this.#order({ step: 'measure' });
        if (measurement === undefined) throw new Error('the load generator measured nothing');
        return measurement;
      },
      [Symbol.asyncDispose]: async () => void (await this.#order({ step: 'close' })),
    };
  }

  async run(job: Job): Promise<Measurement> {
    await using load = await this.prepare(job);
    return await load.measure();
  }

  async #order(order: LoadOrder): Promise<LoadReport> {
    this.#child.send(order);
    const [report]: [LoadReport] = (await once(this.#child, 'message')) as [LoadReport];
    if (report.error !== undefined) throw new Error(report.error);
    return report;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
