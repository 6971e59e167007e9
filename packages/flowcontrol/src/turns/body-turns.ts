import type { Turns, TurnTaker } from './turns.js';

/** Work of a chunk beside its making: encryption and the socket, in milliseconds for each byte. */
const PER_BYTE = 1e-6;

/** A part of a response that waits for its turn. */
interface Slice {
  /** The position of the response among all. */
  readonly order: number;
  /** Makes the part. Must not throw. */
  readonly make: () => void;
}

/** The response bodies that are in the making, by flow. */
export class BodyTurns {
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #flows = new Map<string, BodyFlow>();
  #bodies = 0;

  constructor(turns: Turns, now: () => number) {
    this.#turns = turns;
    this.#now = now;
  }

  /**
   * The chunks of a body, each made in a turn of its flow. `weight`: the share of the flow. `charge` gets the milliseconds of work
   * of each chunk.
   */
  chunks(
    source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    { flow, weight, charge }: { readonly flow: string; readonly weight: number; readonly charge: (ms: number) => void },
  ): AsyncIterable<Uint8Array> {
    const order = this.#bodies++;
    // Bodies that nobody reads, as those for HEAD, must leave no flow behind.
    return {
      [Symbol.asyncIterator]: () =>
        this.#iterate({ source: iteratorOf(source), order, flow: this.#flow(flow, weight), charge }),
    };
  }

  /** The flows with bodies that are being read. */
  get flows(): number {
    return this.#flows.size;
  }

  #flow(key: string, weight: number): BodyFlow {
    const known = this.#flows.get(key);
    if (known !== undefined) return known;
    const made = new BodyFlow(weight, () => this.#flows.delete(key));
    this.#flows.set(key, made);
    return made;
  }

  #iterate(body: Body): AsyncIterator<Uint8Array> {
    body.flow.opened();
    let isOpen = true;
    const close = () => {
      if (isOpen) body.flow.closed();
      isOpen = false;
    };
    return {
      next: async () => {
        try {
          const result = await this.#next(body);
          if (result.done === true) close();
          return result;
        } catch (error) {
          close();
          throw error;
        }
      },
      return: async () => {
        close();
        await body.source.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  /** The only body of a server with little to do does not wait. */
  #next(body: Body): Promise<IteratorResult<Uint8Array>> {
    const begun = this.#now();
    if (this.#turns.maySlice(begun)) return this.#make(body, begun);
    return new Promise((resolve) => {
      body.flow.wait({ order: body.order, make: () => resolve(this.#make(body, this.#now())) });
      this.#turns.waitToSlice(body.flow);
    });
  }

  /** Only the work of this turn is measured, not that of other threads and of later turns. */
  async #make({ source, charge }: Body, begun: number): Promise<IteratorResult<Uint8Array>> {
    const made = source.next();
    const work = this.#now() - begun;
    this.#turns.charge(work);
    const result = await made;
    const bytes = result.done === true ? 0 : result.value.length;
    this.#turns.charge(bytes * PER_BYTE);
    charge(work + bytes * PER_BYTE);
    return result;
  }
}

/** A response in the making. */
interface Body {
  readonly source: ChunkIterator;
  readonly order: number;
  readonly flow: BodyFlow;
  readonly charge: (milliseconds: number) => void;
}

type ChunkIterator = Iterator<Uint8Array> | AsyncIterator<Uint8Array>;

function iteratorOf(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): ChunkIterator {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/**
 * The waiting parts of one flow, those of the oldest response first: it is complete sooner, and none is complete later than if
 * they took turns among each other.
 */
class BodyFlow implements TurnTaker {
  readonly weight: number;
  readonly #ended: () => void;
  readonly #waiting: Slice[] = [];
  #open = 0;

  constructor(weight: number, ended: () => void) {
    this.weight = weight;
    this.#ended = ended;
  }

  opened(): void {
    this.#open++;
  }

  closed(): void {
    this.#open--;
    if (this.#open === 0) this.#ended();
  }

  wait(slice: Slice): void {
    const index = this.#waiting.findIndex(({ order }) => order > slice.order);
    this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, slice);
  }

  take(): boolean {
    const slice = this.#waiting.shift();
    slice?.make();
    return slice !== undefined;
  }
}
