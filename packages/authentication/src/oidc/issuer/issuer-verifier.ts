import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { errorOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { IssuerClient } from '../http/issuer-client.js';
import { type KeySetObserver, RemoteKeySet } from '../keys/remote-key-set.js';
import { discoverKeySet } from './discover-key-set.js';
import { TokenVerifier, type TokenVerifierOptions } from './token-verifier.js';

/** Milliseconds between attempts to discover an issuer. Upstream: PollUntilContextCancel in its New */
const RETRY_MS = 10_000;

/** Input of an issuer's verifier. */
export interface IssuerVerifierOptions extends Omit<TokenVerifierOptions, 'now'> {
  /** "" for the default place. */
  readonly discoveryUrl: string;
  readonly client: Pick<IssuerClient, 'get'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins the log of a failure. */
  readonly failure: string;
  readonly observer?: KeySetObserver | undefined;
  readonly signal: AbortSignal;
}

/**
 * Discovers an issuer in the background, again and again until it responds: a server starts without it.
 * Upstream: New and asyncIDTokenVerifier of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export class IssuerVerifier {
  readonly #options: IssuerVerifierOptions;
  #verifier: TokenVerifier | undefined;
  #failure: Error | undefined;

  constructor(options: IssuerVerifierOptions) {
    this.#options = options;
  }

  /** Undefined until the issuer is discovered. */
  get verifier(): TokenVerifier | undefined {
    return this.#verifier;
  }

  /** The last failure; undefined before the first attempt, and after a success. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Resolves after the first attempt, whatever comes of it. */
  async start(): Promise<void> {
    const { signal, clock, logger, failure } = this.#options;
    if (signal.aborted) return;
    try {
      await this.#discover();
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = errorOf(error);
      logger.error(this.#failure, failure);
      void sleep(clock, RETRY_MS, signal).then(() => this.start());
    }
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryUrl, client, clock, observer, signal, audiences, algorithms } = this.#options;
    const url = await discoverKeySet(client, issuer, discoveryUrl);
    const keys = new RemoteKeySet({ url, client, clock, signal, observer });
    this.#verifier = new TokenVerifier({ issuer, audiences, algorithms, now: () => clock.now() }, keys);
    this.#failure = undefined;
  }
}
