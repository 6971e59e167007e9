/** Minimum number of writers that wait for each other: two or three seldom write at the same pace. */
const FEWEST = 4;
/** Milliseconds: timers count whole ones, so there is nothing to gain from faster commits. */
const QUICK_COMMIT_MS = 0.5;
/**
 * Milliseconds. A writer that has not returned by then was not only waiting for its response. It also limits the wait
 * for a burst.
 */
const MAX_WAIT_MS = 5;
/** Maximum number of event loop turns to wait, however many writes they bring. */
const MAX_TURNS = 8;
/** Maximum number of commits in a row that wait for nobody, because earlier ones waited in vain. */
const MAX_PASSED = 63;

/** Calls back once after this many milliseconds, unless the returned function is called before. */
export type Timer = (callback: () => void, milliseconds: number) => () => void;

/**
 * Lets writes share a commit, whose cost does not depend on its size.
 *
 * Concurrent requests are read from their sockets in several event loop turns: the first commit after a pause waits
 * until a turn brings no more.
 *
 * Clients that receive a response write again at once, but too late for a commit that begins right after the last one.
 * Two halves of them would alternate: twice the commits, and each writer waits twice. The first of them therefore waits
 * for the others, at most as long as the last commit took.
 *
 * Writers that do not wait for their responses do not come back. After each wait in vain more commits begin at once:
 * one, three, seven and so on, until a wait is worth it.
 */
export class WriterGathering {
  readonly #timer: Timer;
  readonly #now: () => number;
  /** Number of recent writers: those of the last commit, and those that arrived during it. */
  #writers = 0;
  /** Number of waiting writes. */
  #waiting = 0;
  #ended = Number.NEGATIVE_INFINITY;
  /** Duration of the last commit in milliseconds. */
  #took = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #complete: () => void = () => {};
  /** Number of waits in a row that ended before all had come. */
  #inVain = 0;
  /** Number of commits that are still to begin without a wait. */
  #toPass = 0;

  constructor(timer: Timer = realTimer, now: () => number = () => performance.now()) {
    this.#timer = timer;
    this.#now = now;
  }

  /** Call it for every new write, with the number of waiting ones. */
  came(waiting: number): void {
    this.#waiting = waiting;
    if (waiting === this.#wanted) this.#complete();
  }

  /** Call it for every commit: its number of writes, how many arrived during it, and its duration. */
  committed(writes: number, came: number, milliseconds: number): void {
    this.#writers = writes + came;
    this.#waiting = came;
    this.#took = milliseconds;
    this.#ended = this.#now();
  }

  /** Resolves when the first commit after a pause should begin. A lone sequential writer never waits. */
  async burst(): Promise<void> {
    if (this.#waiting < 2 && this.#writers < 2) return;
    const latest = this.#now() + MAX_WAIT_MS;
    await turnEnded();
    for (let turn = 1, before = 0; turn < MAX_TURNS && this.#waiting > before && this.#now() < latest; turn++) {
      before = this.#waiting;
      await turnEnded();
    }
  }

  /** Resolves when the commit of the waiting writes should begin; undefined means now. */
  gather(waiting: number): Promise<void> | undefined {
    const most = Math.min(Math.ceil(this.#took), MAX_WAIT_MS);
    if (this.#writers < FEWEST || waiting >= this.#writers || this.#took < QUICK_COMMIT_MS) return undefined;
    if (this.#now() - this.#ended > most) return undefined;
    if (this.#toPass > 0) {
      this.#toPass--;
      return undefined;
    }
    return this.#wait(most);
  }

  #wait(most: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (inVain: number) => {
        this.#inVain = inVain;
        this.#toPass = Math.min(2 ** inVain - 1, MAX_PASSED);
        this.#wanted = Number.POSITIVE_INFINITY;
        resolve();
      };
      const cancel = this.#timer(() => end(this.#inVain + 1), most);
      this.#complete = completion(cancel, end);
      this.#wanted = this.#writers;
    });
  }
}

/** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
function completion(cancel: () => void, end: (inVain: number) => void): () => void {
  return () => {
    cancel();
    end(0);
  };
}

function turnEnded(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Keeps the process alive, because a caller waits for a write. */
function realTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
