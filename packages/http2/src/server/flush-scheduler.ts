/**
 * Time for dispatching requests in one turn of the event loop, in milliseconds. Other requests wait for the next turn.
 */
const DISPATCH_MS = 5;
/** Maximum number of requests dispatched in one turn, because their cost shows only afterwards. */
const DISPATCH_REQUESTS = 32;

/** A connection, as the scheduler sees it. */
export interface FlushMember {
  /** Sends the collected output. */
  flush(): void;
  /** Dispatches the requests that had to wait. */
  resume(): void;
}

/**
 * Schedules the work of all connections of a listener in turns of the event loop. The output of a connection in one
 * turn is one write at its end. Requests that arrive faster than they are served wait, so that timers, other sockets
 * and responses are not delayed.
 */
export class FlushScheduler {
  #dirty: FlushMember[] = [];
  #flushed: FlushMember[] = [];
  /** Members with events to send. */
  #first: FlushMember[] = [];
  #flushedFirst: FlushMember[] = [];
  readonly #held: FlushMember[] = [];
  #scheduled = false;
  /** Monotonic milliseconds of the first dispatch in this turn; 0: there was none. */
  #begun = 0;
  #requests = 0;

  /** Flushes `member` when this turn ends. It must not be scheduled already. */
  flushLater(member: FlushMember): void {
    this.#dirty.push(member);
    this.#schedule();
  }

  /**
   * Like `flushLater`, before all others: watchers receive the event of a write before the writer receives its
   * response.
   */
  flushFirst(member: FlushMember): void {
    this.#first.push(member);
    this.#schedule();
  }

  /** Flushes the members with events now. */
  flushEvents(): void {
    const first = this.#first;
    if (first.length === 0) return;
    this.#first = this.#flushedFirst;
    this.#flushedFirst = first;
    for (const member of first) member.flush();
    first.length = 0;
  }

  /** Records the dispatch of a request. Returns true if it should be the last one of this turn. */
  noteRequest(): boolean {
    const now = performance.now();
    if (this.#begun === 0) {
      this.#begun = now;
      this.#schedule();
    }
    return ++this.#requests >= DISPATCH_REQUESTS || now - this.#begun > DISPATCH_MS;
  }

  /** Resumes `member` in a later turn. It must not already be held. */
  hold(member: FlushMember): void {
    this.#held.push(member);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#scheduled = false;
    this.#begun = 0;
    this.#requests = 0;
    this.flushEvents();
    const dirty = this.#dirty;
    this.#dirty = this.#flushed;
    this.#flushed = dirty;
    for (const member of dirty) member.flush();
    dirty.length = 0;
    // Only one member: the cost of its requests shows after this function, and counts for the next turn.
    this.#held.shift()?.resume();
    if (this.#held.length > 0) this.#schedule();
  };
}
