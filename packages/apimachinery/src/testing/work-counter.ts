import { Session } from 'node:inspector';

/**
 * Counts the work of synchronous calls: how often the blocks of this project's code run, loop bodies included. Unlike a
 * time, the number does not depend on the load of the machine. Work inside native functions is not counted.
 *
 * Functions that ran before the counter was made count as one block. Make it at the top of a test file.
 */
export class WorkCounter implements Disposable {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The number of blocks that the call runs. */
  count(run: () => unknown): number {
    this.#take();
    run();
    return this.#take();
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }

  /** The number of blocks since the last call. */
  #take(): number {
    let blocks = 0;
    this.#session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      const scripts = result.filter(({ url }) => url.includes('/packages/'));
      for (const { ranges } of scripts.flatMap(({ functions }) => functions)) {
        for (const { count } of ranges) blocks += count;
      }
    });
    return blocks;
  }
}
