import { AsyncLocalStorage } from 'node:async_hooks';
import { afterPromises } from './after-promises.js';

/** Milliseconds of one event loop turn for all loops that wait together. */
const TURN_MS = 2;
/** The share of loops that belong to no client: the server's own. */
const OWN_WEIGHT = 100;

/** Work on behalf of one client. Its loops take turns as one, however many there are. */
export class SliceFlow {
  /** Its weight is the share in relation to other flows; positive. */
  readonly share: { readonly weight: number };
  /** Weighted milliseconds of work so far. */
  work = 0;
  /** Loops that wait, those of the oldest request first. */
  readonly waiting: WaitingLoop[] = [];

  constructor(share: { readonly weight: number }) {
    this.share = share;
  }
}

/** A request, as its loops need it. */
export interface SlicedWork {
  readonly flow: SliceFlow;
  /** The position of the request among all: of one flow, the older request goes first. It is complete sooner, and none is later. */
  readonly order: number;
  /** Called with the milliseconds of each slice. */
  charge?(milliseconds: number): void;
}

interface WaitingLoop {
  readonly work: SlicedWork;
  readonly resume: () => void;
}

/** The loops of the process that wait: it has one event loop. */
class SliceTurns {
  /** Flows with loops that wait. */
  readonly #flows = new Set<SliceFlow>();
  /** Loops that have asked since the last turn began. */
  #asked: WaitingLoop[] = [];
  /** The weighted work of the last flow. Others begin there at least, so that idleness earns nothing. */
  #progress = 0;
  #isScheduled = false;

  get isEmpty(): boolean {
    return this.#flows.size === 0 && this.#asked.length === 0;
  }

  ask(loop: WaitingLoop): void {
    this.#asked.push(loop);
    this.#schedule();
  }

  charge(flow: SliceFlow, milliseconds: number): void {
    const start = Math.max(this.#progress, flow.work);
    // Nobody waited for this work: it makes no debt to flows that come later.
    if (this.isEmpty) this.#progress = start;
    flow.work = start + milliseconds / flow.share.weight;
  }

  #schedule(): void {
    if (this.#isScheduled || this.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const joining = this.#asked;
      this.#asked = [];
      for (const loop of joining) this.#join(loop);
      this.#resumeNext(performance.now());
    });
  }

  #join(loop: WaitingLoop): void {
    const { flow, order } = loop.work;
    const { waiting } = flow;
    const isLast = (waiting.at(-1)?.work.order ?? 0) <= order;
    const place = isLast ? waiting.length : waiting.findIndex(({ work }) => work.order > order);
    waiting.splice(place, 0, loop);
    if (this.#flows.has(flow)) return;
    this.#flows.add(flow);
    flow.work = Math.max(this.#progress, flow.work);
  }

  /** Work of a loop after its promise is part of the measured time. */
  #resumeNext(turnBegun: number): void {
    const loop = this.#next();
    if (loop === undefined) {
      this.#schedule();
      return;
    }
    const begun = performance.now();
    loop.resume();
    afterPromises(() => {
      const now = performance.now();
      const { flow } = loop.work;
      flow.work += (now - begun) / flow.share.weight;
      loop.work.charge?.(now - begun);
      if (now - turnBegun < TURN_MS) this.#resumeNext(turnBegun);
      else this.#schedule();
    });
  }

  /** The first loop of the flow with the least work. */
  #next(): WaitingLoop | undefined {
    let first: SliceFlow | undefined;
    for (const flow of this.#flows) if (first === undefined || flow.work < first.work) first = flow;
    if (first === undefined) return undefined;
    this.#progress = Math.max(this.#progress, first.work);
    const loop = first.waiting.shift();
    if (first.waiting.length === 0) this.#flows.delete(first);
    return loop;
  }
}

const current = new AsyncLocalStorage<SlicedWork>();
const own: SlicedWork = { flow: new SliceFlow({ weight: OWN_WEIGHT }), order: Number.POSITIVE_INFINITY };
const turns = new SliceTurns();

/** Calls the function. Its loops, also those that it leaves running, belong to the work; undefined: to the server itself. */
export function runSliced<A extends unknown[], R>(
  work: SlicedWork | undefined,
  call: (...values: A) => R,
  ...values: A
): R {
  return current.run(work ?? own, call, ...values);
}

/**
 * Resolves in a later event loop turn. All callers together get a few milliseconds of each turn: a turn stays short, however many
 * of them there are. The flow with the least work for its weight goes first.
 */
export function sliceTurn(): Promise<void> {
  return new Promise((resume) => turns.ask({ work: current.getStore() ?? own, resume }));
}

/** True if loops wait for a turn. */
export function areSlicesWaiting(): boolean {
  return !turns.isEmpty;
}

/** Counts work that took no turn, in milliseconds. */
export function chargeSlice({ flow }: SlicedWork, milliseconds: number): void {
  turns.charge(flow, milliseconds);
}
