import { hashIfNotEmpty, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { KeySetObserver } from './keys/remote-key-set.js';

const LATENCY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const KEY_SET_LABELS = ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'] as const;
const PREFIX = 'apiserver_authentication_jwt_authenticator_';

/** Input of the metrics. */
export interface OidcMetricsOptions {
  /** The identity of this server. */
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Upstream feature gate: StructuredAuthenticationConfigurationJWKSMetrics */
  readonly keySets: boolean;
}

/**
 * The metrics of issuers. Hashes stand for their URLs.
 * Upstream: metrics.go of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export class OidcMetrics {
  readonly #latency;
  readonly #fetches;
  readonly #keySets = new Map<string, string>();
  readonly #server: string;
  readonly #options: OidcMetricsOptions;

  constructor(registry: MetricsRegistry, options: OidcMetricsOptions) {
    this.#options = options;
    this.#server = hashIfNotEmpty(options.serverId);
    this.#latency = registry.histogram(
      {
        name: `${PREFIX}latency_seconds`,
        help: 'Time to authenticate a JWT that is not in the cache in seconds, by result and issuer.',
        labels: ['result', 'jwt_issuer_hash'],
      },
      LATENCY_BUCKETS,
    );
    this.#fetches = registry.gauge({
      name: `${PREFIX}jwks_fetch_last_timestamp_seconds`,
      help: "Time of the last fetch of an issuer's keys, by result, server and issuer.",
      labels: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
    });
    registry.collect({
      name: `${PREFIX}jwks_fetch_last_key_set_info`,
      help: 'The last keys of an issuer, by their hash, server and issuer.',
      type: 'gauge',
      samples: () =>
        [...this.#keySets].map(([issuer, hash]) => ({
          value: 1,
          labels: labelsOf([issuer, this.#server, hash]),
        })),
    });
  }

  /** `milliseconds` becomes seconds. */
  authenticated(result: 'success' | 'failure', issuer: string, milliseconds: number): void {
    this.#latency.with({ result, jwt_issuer_hash: hashIfNotEmpty(issuer) }).observe(milliseconds / 1_000);
  }

  /** Records the fetches of an issuer's keys; undefined if these are not recorded. */
  keySetObserver(issuer: string): KeySetObserver | undefined {
    if (!this.#options.keySets) return undefined;
    return {
      fetched: (outcome) => {
        const result = outcome === 'failure' ? 'failure' : 'success';
        this.#fetches.with(this.#fetchLabels(result, issuer)).value = this.#options.now() / 1_000;
        if (outcome !== 'failure') this.#keySets.set(hashIfNotEmpty(issuer), hashIfNotEmpty(outcome.keySet));
      },
    };
  }

  /** Drops the series about the keys of an issuer that is no longer configured. */
  forget(issuer: string): void {
    this.#keySets.delete(hashIfNotEmpty(issuer));
    for (const result of ['success', 'failure']) this.#fetches.remove(this.#fetchLabels(result, issuer));
  }

  #fetchLabels(result: string, issuer: string) {
    return { result, jwt_issuer_hash: hashIfNotEmpty(issuer), apiserver_id_hash: this.#server };
  }
}

function labelsOf(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(KEY_SET_LABELS.map((name, index) => [name, values[index] ?? '']));
}
