/** Milliseconds that one turn of the event loop hands requests on; what else has come waits for the next. */
const DISPATCH_MS = 5;
/** Requests that are handed on at a stretch: what they cost shows only after it. */
const DISPATCH_REQUESTS = 32;

/** What a turn does with a connection. */
export interface FlushMember {
  /** Sends what was gathered. */
  flush(): void;
  /** Hands on what had to wait. */
  resume(): void;
}

/**
 * What the connections of a listener do together in one turn of the event loop. All that a turn sends on a connection leaves at
 * its end, as one write. And requests that come faster than they are worked on wait in line, so that timers, other sockets and
 * answers get their turn between them.
 */
export class FlushScheduler {
  #dirty: FlushMember[] = [];
  #flushed: FlushMember[] = [];
  /** Those among them that have events to send. */
  #first: FlushMember[] = [];
  #flushedFirst: FlushMember[] = [];
  readonly #held: FlushMember[] = [];
  #scheduled = false;
  /** Monotonic milliseconds; 0: nothing was handed on in this turn. */
  #begun = 0;
  #requests = 0;

  /** `member` is flushed at the end of this turn; must not be in line already. */
  flushLater(member: FlushMember): void {
    this.#dirty.push(member);
    this.#schedule();
  }

  /** The same, for events: they are flushed before answers, so that watchers hear of a write before its writer does. */
  flushFirst(member: FlushMember): void {
    this.#first.push(member);
    this.#schedule();
  }

  /** Flushes now what has events to send. */
  flushEvents(): void {
    const first = this.#first;
    if (first.length === 0) return;
    this.#first = this.#flushedFirst;
    this.#flushedFirst = first;
    for (const member of first) member.flush();
    first.length = 0;
  }

  /** Notes that a request is handed on; true: it should be the last one for now. */
  noteRequest(): boolean {
    const now = performance.now();
    if (this.#begun === 0) {
      this.#begun = now;
      this.#schedule();
    }
    return ++this.#requests >= DISPATCH_REQUESTS || now - this.#begun > DISPATCH_MS;
  }

  /** `member` is resumed when it is its turn; must not be in line already. */
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
    // One: what its requests lead to is done when this function has ended, and counts for the next.
    this.#held.shift()?.resume();
    if (this.#held.length > 0) this.#schedule();
  };
}
