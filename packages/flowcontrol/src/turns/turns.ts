/** The event loop, for tests. */
export interface EventLoop {
  /** Milliseconds of a clock that cannot be set. */
  now(): number;
  /** Calls back in the next turn of the loop, after the sockets have been read. */
  nextTurn(callback: () => void): void;
  /** Calls back in the same turn, after all promises that can settle now have run their callbacks. */
  afterPromises(callback: () => void): void;
}

/** Something that waits for its turn, again and again. */
export interface TurnTaker {
  /** The share of this taker in relation to others; positive. */
  readonly weight: number;
  /** Does one piece of work. Returns false if there is none. Must not throw. */
  take(): boolean;
}

/** Milliseconds after the first request of a turn of the event loop for which others begin at once; the rest waits. */
const BUDGET_MS = 2;
/** The same for requests that no other one precedes. */
const OVERDRAWN_MS = 2 * BUDGET_MS;

/**
 * Divides the time of the one thread among the requests that begin. As long as little is to do, they begin at once.
 * Beyond the budget of a turn they wait, and the taker with the least weighted work goes first. Sockets are read
 * between two turns. Long requests continue in turns of their own: `sliceTurn` of the clock.
 */
export class Turns {
  readonly #loop: EventLoop;
  readonly #starts = new Line();
  /** When the first request of this turn began. Later work of such requests counts, too: time passes for all. */
  #begun: number | undefined;
  #isScheduled = false;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** True if a request may begin at once. */
  mayStart(now: number): boolean {
    return this.#starts.isEmpty && this.#elapsed(now) < BUDGET_MS;
  }

  /**
   * True if a request may begin at once that others do not precede: its response then need not wait for the next turn.
   */
  mayPrecede(now: number): boolean {
    return this.#elapsed(now) < OVERDRAWN_MS;
  }

  /** Lets a level with waiting requests take turns until it has none. */
  waitToStart(taker: TurnTaker): void {
    this.#starts.join(taker);
    this.#schedule();
  }

  #elapsed(now: number): number {
    if (this.#begun === undefined) {
      this.#begun = now;
      this.#schedule();
    }
    return now - this.#begun;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#loop.nextTurn(() => {
      this.#isScheduled = false;
      this.#begun = undefined;
      if (!this.#starts.isEmpty) this.#startNext(this.#loop.now());
    });
  }

  #startNext(turnBegun: number): void {
    const begun = this.#loop.now();
    const taker = this.#starts.take();
    if (taker === undefined) return;
    this.#loop.afterPromises(() => {
      const now = this.#loop.now();
      this.#starts.charge(taker, Math.max(now - begun, MIN_WORK_MS));
      if (now - turnBegun < BUDGET_MS) this.#startNext(turnBegun);
      else if (!this.#starts.isEmpty) this.#schedule();
    });
  }
}

/** Work of a piece at least, in milliseconds. */
const MIN_WORK_MS = 0.01;

/** Takers by their weighted work. Upstream has no equivalent: its requests run in parallel. */
class Line {
  readonly #takers = new Set<TurnTaker>();
  /** The weighted work of each taker, also of those that have left: a short absence pays no debt. */
  readonly #work = new WeakMap<TurnTaker, number>();
  /** The weighted work of the last taker. Others begin there at least, so that idleness earns nothing. */
  #progress = 0;

  get isEmpty(): boolean {
    return this.#takers.size === 0;
  }

  join(taker: TurnTaker): void {
    if (this.#takers.has(taker)) return;
    this.#takers.add(taker);
    this.#work.set(taker, Math.max(this.#progress, this.#workOf(taker)));
  }

  /** Lets the taker with the least weighted work do a piece. Undefined: no taker had any. */
  take(): TurnTaker | undefined {
    for (;;) {
      const taker = this.#first();
      if (taker === undefined) return undefined;
      this.#progress = this.#workOf(taker);
      if (taker.take()) return taker;
      this.#takers.delete(taker);
    }
  }

  charge(taker: TurnTaker, milliseconds: number): void {
    this.#work.set(taker, this.#workOf(taker) + milliseconds / taker.weight);
  }

  #workOf(taker: TurnTaker): number {
    return this.#work.get(taker) ?? 0;
  }

  #first(): TurnTaker | undefined {
    let first: TurnTaker | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const taker of this.#takers) {
      const work = this.#workOf(taker);
      if (work >= least) continue;
      first = taker;
      least = work;
    }
    return first;
  }
}
