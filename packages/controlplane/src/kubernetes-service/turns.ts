/** Lets one piece of work run at a time, in the order asked for. */
export class Turns {
  /** Settles, never rejects, when the last piece of work asked for so far is done. */
  #last: Promise<unknown> = Promise.resolve();

  take<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
