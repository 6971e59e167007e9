import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Time for dispatching requests in one turn of the event loop, in milliseconds. Other requests wait for the next turn.
 */
const DISPATCH_MS = 3;
/** Maximum number of requests dispatched in one turn, because their cost shows only afterwards. */
const DISPATCH_REQUESTS = 32;
/** Bytes that wait for a connection from which on it is flushed after those with less. */
const BULK_BYTES = 64 * 1024;
/** Time for the flushes of such connections in one turn, and of it the time before the turn ends, in milliseconds. */
const BULK_MS = 2;
const EARLY_BULK_MS = 1;

/** Bytes of one connection in one turn from which on it is read no further. */
const READ_BYTES = 64 * 1024;
/** Maximum number of connections that are read again after a turn, of those that were read no further. */
const READ_AGAIN = 4;

/** A connection, as the scheduler sees it. */
export interface FlushMember {
  /** Bytes of responses that wait, besides those for which the client gives no credit. */
  readonly waitingBytes: number;
  /** Sends the collected output. */
  flush(): void;
  /** Dispatches the requests that had to wait. */
  resume(): void;
  /** Reads its socket again. */
  readAgain(): void;
}

/**
 * Schedules the work of all connections of a listener in turns of the event loop. The output of a connection in one
 * turn is one write at its end. Requests that arrive faster than they are served wait, so that timers, other sockets
 * and responses are not delayed. Long responses are written in parts, after short ones: encryption takes time.
 */
export class FlushScheduler {
  #dirty: FlushMember[] = [];
  #flushed: FlushMember[] = [];
  /** Members with events to send. */
  #first: FlushMember[] = [];
  #flushedFirst: FlushMember[] = [];
  readonly #held: FlushMember[] = [];
  /** Members with long responses, in the order in which they are flushed. */
  readonly #bulk = new Set<FlushMember>();
  /** Milliseconds of the flushes of these members in this turn. */
  #bulkUsed = 0;
  /** Members that are read no further. */
  readonly #read: FlushMember[] = [];
  /** Counts the turns that ended here. */
  #turn = 0;
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
   * response. Those for which much output waits may receive it later.
   */
  flushFirst(member: FlushMember): void {
    this.#first.push(member);
    this.#schedule();
  }

  /** Flushes a member with further output, now or in a later turn. The socket has accepted its last write. */
  flushNext(member: FlushMember): void {
    if (member.waitingBytes <= BULK_BYTES) member.flush();
    else {
      // The time of these flushes is forgotten when the turn ends.
      this.#schedule();
      if (this.#bulk.size === 0 && this.#bulkUsed < EARLY_BULK_MS) this.#flushBulk(member);
      else this.#bulk.add(member);
    }
  }

  /** Flushes the members with events now. */
  flushEvents(): void {
    const first = this.#first;
    if (first.length === 0) return;
    this.#first = this.#flushedFirst;
    this.#flushedFirst = first;
    this.#flushShort(first);
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

  /** The number of this turn, for `mayRead`. */
  get turn(): number {
    return this.#turn;
  }

  /** False: the member has received so many bytes in this turn that it should stop reading, until `readAgain`. */
  mayRead(bytes: number, member: FlushMember): boolean {
    if (bytes < READ_BYTES) return true;
    this.#read.push(member);
    this.#schedule();
    return false;
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

  /** Requests that are dispatched here must not run in the context of the one that scheduled it. */
  readonly #end = AsyncLocalStorage.bind((): void => {
    this.#scheduled = false;
    this.#turn++;
    this.#begun = 0;
    this.#requests = 0;
    this.flushEvents();
    const dirty = this.#dirty;
    this.#dirty = this.#flushed;
    this.#flushed = dirty;
    this.#flushShort(dirty);
    dirty.length = 0;
    while (this.#bulkUsed < BULK_MS && this.#flushNextBulk());
    this.#bulkUsed = 0;
    // Only one member: the cost of its requests shows after this function, and counts for the next turn.
    this.#held.shift()?.resume();
    for (const member of this.#read.splice(0, READ_AGAIN)) member.readAgain();
    if (this.#held.length > 0 || this.#bulk.size > 0 || this.#read.length > 0) this.#schedule();
  });

  /** The others follow later. */
  #flushShort(members: readonly FlushMember[]): void {
    for (const member of members) {
      if (member.waitingBytes <= BULK_BYTES) member.flush();
      else this.#bulk.add(member);
    }
  }

  /** False: there is none. */
  #flushNextBulk(): boolean {
    for (const member of this.#bulk) {
      this.#bulk.delete(member);
      this.#flushBulk(member);
      return true;
    }
    return false;
  }

  #flushBulk(member: FlushMember): void {
    const begun = performance.now();
    member.flush();
    this.#bulkUsed += performance.now() - begun;
  }
}
