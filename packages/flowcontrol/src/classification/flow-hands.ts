import { SliceFlow, type SliceShare } from '@apiserver/apimachinery/clock';
import { dealHand } from '../shuffle-sharding/dealer.js';
import { flowHash } from '../shuffle-sharding/flow-hash.js';

/** Flows that are remembered; a hash costs more than the rest of a classification. */
const REMEMBERED = 4096;
/**
 * Clients choose the names of namespaces in paths. Longer ones than any valid name would fill the memory: their flows
 * are remembered by hash.
 */
const MAX_REMEMBERED_LENGTH = 256;

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
  readonly #share: SliceShare;
  readonly #bySchema = new Map<string, Map<string | bigint, Flow>>();
  #size = 0;

  /** The number of flows that are remembered. */
  get size(): number {
    return this.#size;
  }

  /** `share`: of each flow. */
  constructor(queues: number, handSize: number, share: SliceShare) {
    this.#queues = queues;
    this.#share = share;
    this.#handSize = handSize;
  }

  /** A level with one queue has one hand. */
  of(schema: string, distinguisher: string): Flow {
    const hash = distinguisher.length > MAX_REMEMBERED_LENGTH ? flowHash(schema, distinguisher) : undefined;
    const key = hash ?? distinguisher;
    const known = this.#bySchema.get(schema)?.get(key);
    if (known !== undefined) return known;
    const dealt = this.#queues > 1 ? (hash ?? flowHash(schema, distinguisher)) : 0n;
    const flow = { hand: dealHand(dealt, this.#queues, this.#handSize), slices: new SliceFlow(this.#share) };
    this.#remember(schema, key, flow);
    return flow;
  }

  #remember(schema: string, key: string | bigint, flow: Flow): void {
    if (this.#size >= REMEMBERED) {
      this.#bySchema.clear();
      this.#size = 0;
    }
    const flows = this.#bySchema.get(schema) ?? new Map<string | bigint, Flow>();
    this.#bySchema.set(schema, flows.set(key, flow));
    this.#size++;
  }
}
