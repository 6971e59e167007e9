import { SliceFlow } from '@apiserver/apimachinery/clock';
import { dealHand } from '../shuffle-sharding/dealer.js';
import { flowHash } from '../shuffle-sharding/flow-hash.js';

/** Flows that are remembered; a hash costs more than the rest of a classification. */
const REMEMBERED = 4096;
/** Clients choose the names of namespaces in paths. Longer ones than any valid name would fill the memory. */
const LONGEST_REMEMBERED = 256;

/** A flow at its priority level. */
export interface Flow {
  /** The queues that it may use. */
  readonly hand: readonly number[];
  /** Its share in the turns of loops. */
  readonly slices: SliceFlow;
}

/** The flows at one priority level. */
export class FlowHands {
  readonly #queues: number;
  readonly #handSize: number;
  readonly #share: SliceFlow['share'];
  readonly #bySchema = new Map<string, Map<string, Flow>>();
  #size = 0;

  /** The number of flows that are remembered. */
  get size(): number {
    return this.#size;
  }

  /** `share`: of each flow. */
  constructor(queues: number, handSize: number, share: SliceFlow['share']) {
    this.#queues = queues;
    this.#share = share;
    this.#handSize = handSize;
  }

  /** A level with one queue has one hand. */
  of(schema: string, distinguisher: string): Flow {
    const known = this.#bySchema.get(schema)?.get(distinguisher);
    if (known !== undefined) return known;
    const hash = this.#queues > 1 ? flowHash(schema, distinguisher) : 0n;
    const flow = { hand: dealHand(hash, this.#queues, this.#handSize), slices: new SliceFlow(this.#share) };
    if (distinguisher.length <= LONGEST_REMEMBERED) this.#remember(schema, distinguisher, flow);
    return flow;
  }

  #remember(schema: string, distinguisher: string, flow: Flow): void {
    if (this.#size >= REMEMBERED) {
      this.#bySchema.clear();
      this.#size = 0;
    }
    const flows = this.#bySchema.get(schema) ?? new Map<string, Flow>();
    this.#bySchema.set(schema, flows.set(distinguisher, flow));
    this.#size++;
  }
}
