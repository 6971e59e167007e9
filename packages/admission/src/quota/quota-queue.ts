import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/** A request that waits to be counted. */
export interface QuotaWaiter {
  readonly attributes: AdmissionAttributes;
  /** Answers the request; only the first answer counts. Undefined lets it through. */
  settle(refusal?: unknown): void;
}

/**
 * Counts the requests of one namespace in turns: those that came while the last ones were counted go together, so that
 * many requests cost a quota one write.
 * Upstream: the work queue of k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
 */
export class QuotaQueue {
  readonly #count: (namespace: string, waiters: readonly QuotaWaiter[]) => Promise<void>;
  /** Who waits, by namespace; a namespace is in it as long as somebody counts for it. */
  readonly #waiting = new Map<string, QuotaWaiter[]>();

  /** `count` answers every waiter, unless it throws: then that is the answer. */
  constructor(count: (namespace: string, waiters: readonly QuotaWaiter[]) => Promise<void>) {
    this.#count = count;
  }

  /** Resolves when the request has been counted; rejects when it is refused. */
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
