import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import { isAvailable } from '../api-service/conditions.js';

/**
 * Fails until every APIService registered at start has been available once.
 * Upstream: makeAPIServiceAvailableHealthCheck of pkg/controlplane/apiserver/aggregator.go
 */
export class RegistrationCheck {
  readonly #pending: Set<string>;
  readonly #completed = Promise.withResolvers<void>();

  constructor(names: Iterable<string>) {
    this.#pending = new Set(names);
  }

  /** Resolves when no APIService is missing. */
  get completed(): Promise<void> {
    return this.#completed.promise;
  }

  /** Watches the APIServices until `signal` aborts. */
  follow(informer: Pick<Informer<APIService>, 'subscribe'>, signal: AbortSignal): void {
    const seen = (apiService: APIService): void => {
      if (isAvailable(apiService)) this.#pending.delete(apiService.metadata.name ?? '');
      if (this.#pending.size === 0) this.#completed.resolve();
    };
    signal.addEventListener('abort', informer.subscribe({ added: seen, updated: seen }), { once: true });
  }

  /** Throws an Error that names the missing APIServices. */
  check(): void {
    if (this.#pending.size > 0) throw new Error(`missing APIService: [${[...this.#pending].sort().join(' ')}]`);
  }
}
