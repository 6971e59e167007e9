/** Runs asynchronous functions one at a time, in the order of calls. */
export class SerialQueue {
  /** Settles, never rejects, when the last function has finished. */
  #last: Promise<unknown> = Promise.resolve();

  run<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
