import { AsyncLocalStorage } from 'node:async_hooks';
import { afterPromises } from './after-promises.js';
import { FairPlace, FairSet } from './fair-set.js';
import { OrderedQueue } from './ordered-queue.js';

/** Milliseconds of one event loop turn for all loops that wait together. */
const TURN_MS = 2;
/** The share of loops that belong to no client: the server's own. */
const OWN_WEIGHT = 100;

/** The part of some flows together in the turns of the thread. */
export class SliceShare {
  readonly #weight: { readonly weight: number };
  /** Its work among all shares. */
  readonly place = new FairPlace<SliceShare>(this);
  /** Its flows with loops that wait. */
  readonly flows = new FairSet<SliceFlow>();

  /** `weight`: in relation to other shares; positive. */
  constructor(weight: { readonly weight: number }) {
    this.#weight = weight;
  }

  get weight(): number {
    return this.#weight.weight;
  }
}

/** Work on behalf of one client. Its loops take turns as one, however many there are. */
export class SliceFlow {
  readonly share: SliceShare;
  /** Its work among the flows of its share. */
  readonly place = new FairPlace<SliceFlow>(this);
  /** Loops that wait, those of the oldest request first. */
  readonly waiting = new OrderedQueue<WaitingLoop>();

  /** All flows of a share get no more together than one flow would. */
  constructor(share: SliceShare) {
    this.share = share;
  }
}

/** A request, as its loops need it. */
export interface SlicedWork {
  readonly flow: SliceFlow;
  /**
   * The position of the request among all: of one flow, the older request goes first. It is complete sooner, and none
   * is later.
   */
  readonly order: number;
  /** Called with the milliseconds of each slice. */
  charge?(milliseconds: number): void;
  /** See `attachToWork`. Default: the work takes no value. */
  attachment?: object | undefined;
}

interface WaitingLoop {
  readonly work: SlicedWork;
  readonly resume: () => void;
}

/** The loops of the process that wait: it has one event loop. */
class SliceTurns {
  /** Shares with loops that wait. */
  readonly #shares = new FairSet<SliceShare>();
  /** Loops that have asked since the last turn began. */
  #asked: WaitingLoop[] = [];
  #isScheduled = false;

  get isEmpty(): boolean {
    return this.#shares.isEmpty && this.#asked.length === 0;
  }

  ask(loop: WaitingLoop): void {
    this.#asked.push(loop);
    this.#schedule();
  }

  charge(flow: SliceFlow, milliseconds: number): void {
    const { share } = flow;
    const isFree = this.isEmpty;
    this.#shares.charge(share.place, milliseconds / share.weight, isFree);
    share.flows.charge(flow.place, milliseconds, isFree || (share.flows.isEmpty && this.#asked.length === 0));
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
    flow.waiting.push(loop, order);
    flow.share.flows.join(flow.place);
    this.#shares.join(flow.share.place);
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
      flow.place.work += now - begun;
      flow.share.place.work += (now - begun) / flow.share.weight;
      loop.work.charge?.(now - begun);
      if (now - turnBegun < TURN_MS) this.#resumeNext(turnBegun);
      else this.#schedule();
    });
  }

  /** The first loop of the flow with the least work, of the share with the least work. */
  #next(): WaitingLoop | undefined {
    const share = this.#shares.first();
    const flow = share?.flows.first();
    if (share === undefined || flow === undefined) return undefined;
    const loop = flow.waiting.shift();
    if (flow.waiting.isEmpty) share.flows.leave(flow.place);
    if (share.flows.isEmpty) this.#shares.leave(share.place);
    return loop;
  }
}

const current = new AsyncLocalStorage<SlicedWork>();
const own: SlicedWork = {
  flow: new SliceFlow(new SliceShare({ weight: OWN_WEIGHT })),
  order: Number.POSITIVE_INFINITY,
};
const turns = new SliceTurns();

/**
 * Calls the function. Its loops, also those that it leaves running, belong to the work; undefined: to the server
 * itself.
 */
export function runSliced<A extends unknown[], R>(
  work: SlicedWork | undefined,
  call: (...values: A) => R,
  ...values: A
): R {
  return current.run(work ?? own, call, ...values);
}

/**
 * Keeps a value with the work of the request that this call belongs to: a context of its own would cost more than the
 * rest of an audited request. False if the call belongs to no such work, or the work has a value.
 */
export function attachToWork(value: object): boolean {
  const work = current.getStore();
  if (work === undefined || !('attachment' in work) || work.attachment !== undefined) return false;
  work.attachment = value;
  return true;
}

/** The value of `attachToWork`, for all that the request calls, awaits or leaves running. */
export function workAttachment(): object | undefined {
  return current.getStore()?.attachment;
}

/**
 * Resolves in a later event loop turn. All callers together get a few milliseconds of each turn: a turn stays short,
 * however many of them there are. The share with the least work for its weight goes first, and of it the flow with the
 * least work.
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
