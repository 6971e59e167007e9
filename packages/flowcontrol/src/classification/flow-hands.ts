import { dealHand } from '../shuffle-sharding/dealer.js';
import { flowHash } from '../shuffle-sharding/flow-hash.js';

/** Hands that are remembered; a hash costs more than the rest of a classification. */
const REMEMBERED = 4096;
/** Clients choose the names of namespaces in paths. Longer ones than any valid name would fill the memory. */
const LONGEST_REMEMBERED = 256;

/** The hands of the flows at one priority level. */
export class FlowHands {
  readonly #queues: number;
  readonly #handSize: number;
  readonly #bySchema = new Map<string, Map<string, readonly number[]>>();
  #size = 0;

  /** The number of hands that are remembered. */
  get size(): number {
    return this.#size;
  }

  constructor(queues: number, handSize: number) {
    this.#queues = queues;
    this.#handSize = handSize;
  }

  /** A level with one queue has one hand. */
  of(schema: string, distinguisher: string): readonly number[] {
    const known = this.#bySchema.get(schema)?.get(distinguisher);
    if (known !== undefined) return known;
    const hash = this.#queues > 1 ? flowHash(schema, distinguisher) : 0n;
    const hand = dealHand(hash, this.#queues, this.#handSize);
    if (distinguisher.length <= LONGEST_REMEMBERED) this.#remember(schema, distinguisher, hand);
    return hand;
  }

  #remember(schema: string, distinguisher: string, hand: readonly number[]): void {
    if (this.#size >= REMEMBERED) {
      this.#bySchema.clear();
      this.#size = 0;
    }
    const hands = this.#bySchema.get(schema) ?? new Map<string, readonly number[]>();
    this.#bySchema.set(schema, hands.set(distinguisher, hand));
    this.#size++;
  }
}
