import type { Logger } from '@apiserver/apiserver-contracts';

/**
 * Events of a server's life, each of which happens once.
 * Upstream: k8s.io/apiserver/pkg/server/lifecycle_signals.go
 */
export class Lifecycle {
  readonly #logger: Logger;
  readonly #shutdownInitiated = new AbortController();
  readonly #notAcceptingNewRequests = new AbortController();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** /readyz fails from now on. */
  get shutdownInitiated(): AbortSignal {
    return this.#shutdownInitiated.signal;
  }

  /** The delay has passed and the pre-shutdown hooks have run. */
  get notAcceptingNewRequests(): AbortSignal {
    return this.#notAcceptingNewRequests.signal;
  }

  initiateShutdown(): void {
    this.#happened(this.#shutdownInitiated, 'ShutdownInitiated');
  }

  stopAcceptingRequests(): void {
    this.#happened(this.#notAcceptingNewRequests, 'NotAcceptingNewRequest');
  }

  #happened(controller: AbortController, name: string): void {
    this.#logger.v(1)?.info('[graceful-termination] shutdown event', { name });
    controller.abort(new Error(name));
  }
}
