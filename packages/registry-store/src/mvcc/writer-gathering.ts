/** Fewer than so many do not wait for each other: commits are not what keeps the server busy then. */
const FEWEST = 12;
/** Milliseconds: timers count whole ones, so where commits are quicker there is nothing to gain. */
const QUICK_COMMIT = 0.5;
/** Milliseconds. Whoever has not come back by then was not waiting for his answer alone; nor is a longer burst waited for. */
const LONGEST_WAIT = 5;
/** Turns of the event loop that are waited for at most, however many writes they bring. */
const MOST_TURNS = 8;

/** Calls back once after so many milliseconds, unless the returned function is called before. */
export type Timer = (callback: () => void, milliseconds: number) => () => void;

/**
 * Lets writes share a commit, which costs the same whatever it holds.
 *
 * What clients send at once is read from their sockets one after the other, in several turns of the event loop: the first commit
 * after a rest waits until a turn brings no more.
 *
 * Writers who have just been answered write again at once, but too late for a commit that begins where the last one ends, so
 * that two halves of them would take turns: twice the commits, each waited for twice. The first of them waits for the others as
 * long as the last commit took, and no longer.
 */
export class WriterGathering {
  readonly #timer: Timer;
  readonly #now: () => number;
  /** How many wrote lately: those of the last commit, and those who came while it was under way. */
  #writers = 0;
  /** Writes that wait. */
  #waiting = 0;
  #ended = Number.NEGATIVE_INFINITY;
  /** Milliseconds, of the last commit. */
  #took = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #complete: () => void = () => {};

  constructor(timer: Timer = realTimer, now: () => number = () => performance.now()) {
    this.#timer = timer;
    this.#now = now;
  }

  /** To be told of every write that comes, with the number of those that wait. */
  came(waiting: number): void {
    this.#waiting = waiting;
    if (waiting === this.#wanted) this.#complete();
  }

  /** To be told of every commit: of how many writes it was, how many came meanwhile, and how long it took. */
  committed(writes: number, came: number, milliseconds: number): void {
    this.#writers = writes + came;
    this.#waiting = came;
    this.#took = milliseconds;
    this.#ended = this.#now();
  }

  /** Resolves when the first commit after a rest should begin. Who writes alone, one thing after the other, waits for nobody. */
  async burst(): Promise<void> {
    if (this.#waiting < 2 && this.#writers < 2) return;
    const latest = this.#now() + LONGEST_WAIT;
    await turnEnded();
    for (let turn = 1, before = 0; turn < MOST_TURNS && this.#waiting > before && this.#now() < latest; turn++) {
      before = this.#waiting;
      await turnEnded();
    }
  }

  /** Resolves when the commit of those who wait should begin; undefined: now. */
  gather(waiting: number): Promise<void> | undefined {
    const most = Math.min(Math.ceil(this.#took), LONGEST_WAIT);
    if (this.#writers < FEWEST || waiting >= this.#writers || this.#took < QUICK_COMMIT) return undefined;
    if (this.#now() - this.#ended > most) return undefined;
    return new Promise((resolve) => {
      this.#complete = () => {
        cancel();
        this.#wanted = Number.POSITIVE_INFINITY;
        resolve();
      };
      const cancel = this.#timer(() => this.#complete(), most);
      this.#wanted = this.#writers;
    });
  }
}

function turnEnded(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Keeps the process alive, as somebody waits for a write. */
function realTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
