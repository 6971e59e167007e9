import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/** A request that waits to be charged. */
export interface QuotaWaiter {
  readonly attributes: AdmissionAttributes;
  /** Admits the request if undefined, else refuses it. Only the first call counts. */
  settle(refusal?: unknown): void;
}

/**
 * Charges the requests of one namespace in batches. Requests that arrive during a batch form the next one, so that
 * many requests cost one write per quota.
 * Upstream: the work queue of k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
 */
export class QuotaQueue {
  readonly #count: (namespace: string, waiters: readonly QuotaWaiter[]) => Promise<void>;
  /** The waiting requests by namespace. A namespace has an entry while its requests are being charged. */
  readonly #waiting = new Map<string, QuotaWaiter[]>();

  /** `count` settles every waiter. If it throws, its error refuses them. */
  constructor(count: (namespace: string, waiters: readonly QuotaWaiter[]) => Promise<void>) {
    this.#count = count;
  }

  /** Resolves when the request is charged; rejects when it is refused. */
  add(attributes: AdmissionAttributes): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (refusal?: unknown) => (refusal === undefined ? resolve() : reject(refusal));
    const waiting = this.#waiting.get(attributes.namespace);
    if (waiting !== undefined) waiting.push({ attributes, settle });
    else {
      this.#waiting.set(attributes.namespace, [{ attributes, settle }]);
      void this.#run(attributes.namespace);
    }
    return promise;
  }

  async #run(namespace: string): Promise<void> {
    for (let turn = this.#take(namespace); turn.length > 0; turn = this.#take(namespace)) {
      try {
        await this.#count(namespace, turn);
      } catch (error) {
        for (const { settle } of turn) settle(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  #take(namespace: string): readonly QuotaWaiter[] {
    const taken = this.#waiting.get(namespace) ?? [];
    this.#waiting.set(namespace, []);
    return taken;
  }
}
