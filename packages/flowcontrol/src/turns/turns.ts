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

/** Milliseconds of work in one turn of the event loop; the rest waits for the next turn. */
const BUDGET = 2;
/** Work that is spread over more time than this does not delay anybody. */
const WINDOW = 2 * BUDGET;

/**
 * Divides the time of the one thread that serves all requests. As long as little is to do, work begins at once. Beyond the budget
 * of a turn it waits, and the taker with the least weighted work goes first. Sockets are read between two turns.
 */
export class Turns {
  readonly #loop: EventLoop;
  readonly #starts: Line;
  readonly #slices: Line;
  #windowStart = Number.NEGATIVE_INFINITY;
  #used = 0;
  #isScheduled = false;
  /** A piece of work is being measured, whatever it charges. */
  #isMeasuring = false;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#starts = new Line();
    this.#slices = new Line();
  }

  /** True if a request may begin at once. */
  mayStart(now: number): boolean {
    return this.#starts.isEmpty && this.#hasTime(now);
  }

  /** True if a part of a response may be made at once. */
  maySlice(now: number): boolean {
    return this.#slices.isEmpty && this.#starts.isEmpty && this.#hasTime(now);
  }

  /** Counts work of this turn that began at once, in milliseconds. */
  charge(milliseconds: number): void {
    if (!this.#isMeasuring) this.#used += milliseconds;
  }

  /** Lets a level with waiting requests take turns until it has none. */
  waitToStart(taker: TurnTaker): void {
    this.#starts.join(taker);
    this.#schedule();
  }

  /** Lets a flow with responses in the making take turns until it has none. */
  waitToSlice(taker: TurnTaker): void {
    this.#slices.join(taker);
    this.#schedule();
  }

  #hasTime(now: number): boolean {
    if (now - this.#windowStart > WINDOW) this.#beginWindow(now);
    return this.#used < BUDGET;
  }

  #beginWindow(now: number): void {
    this.#windowStart = now;
    this.#used = 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#loop.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#beginWindow(this.#loop.now());
    this.#next(this.#starts);
  }

  /** Requests go first, because most of them are short. At least one part of a response follows. */
  #next(line: Line): void {
    const begun = this.#loop.now();
    this.#isMeasuring = true;
    const taker = line.take();
    if (taker === undefined) {
      this.#isMeasuring = false;
      this.#endOf(line);
      return;
    }
    this.#loop.afterPromises(() => {
      this.#isMeasuring = false;
      this.#count(line, taker, this.#loop.now() - begun);
      if (this.#used < BUDGET) this.#next(line);
      else this.#endOf(line);
    });
  }

  #count(line: Line, taker: TurnTaker, milliseconds: number): void {
    const work = Math.max(milliseconds, LEAST_WORK);
    this.#used += work;
    line.charge(taker, work);
  }

  #endOf(line: Line): void {
    this.#beginWindow(this.#loop.now());
    if (line === this.#starts) this.#next(this.#slices);
    else if (!this.#starts.isEmpty || !this.#slices.isEmpty) this.#schedule();
  }
}

/** Work of a piece at least, in milliseconds. */
const LEAST_WORK = 0.01;

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
