import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { codeOfFailure } from './signer-error.js';

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const OK = 'OK';

/** Upstream: pkg/serviceaccount/externaljwt/metrics */
export class SignerMetrics {
  readonly #fetched;
  readonly #data;
  readonly #fetches;
  readonly #signings;
  readonly #durations;
  readonly #now: () => number;

  /** `now` returns milliseconds since the epoch. */
  constructor(registry: MetricsRegistry, now: () => number) {
    const named = (name: string, help: string) => ({ name: `apiserver_externaljwt_${name}`, help, labels: [] });
    this.#now = now;
    this.#fetched = registry.gauge(
      named('fetch_keys_success_timestamp', 'Time of the last successful fetch of keys in seconds since the epoch.'),
    );
    this.#data = registry.gauge(
      named('fetch_keys_data_timestamp', 'Time that the signer states for its keys in seconds since the epoch.'),
    );
    this.#fetches = registry.counter({
      ...named('fetch_keys_request_total', 'Attempts to fetch keys, by gRPC code.'),
      labels: ['code'],
    });
    this.#signings = registry.counter({
      ...named('sign_request_total', 'Attempts to sign tokens, by gRPC code.'),
      labels: ['code'],
    });
    this.#durations = registry.histogram(
      {
        ...named('request_duration_seconds', 'Duration of calls of the signer in seconds, by method and gRPC code.'),
        labels: ['method', 'code'],
      },
      BUCKETS,
    );
  }

  called(method: string, error: unknown, milliseconds: number): void {
    this.#durations.with({ method, code: codeOf(error) }).observe(milliseconds / 1_000);
  }

  fetchedKeys(error: unknown): void {
    this.#fetches.with({ code: codeOf(error) }).value++;
    if (error === undefined) this.#fetched.with({}).value = this.#now() / 1_000;
  }

  /** Seconds since the epoch. */
  keysAreOf(time: number): void {
    this.#data.with({}).value = time;
  }

  signed(error: unknown): void {
    this.#signings.with({ code: codeOf(error) }).value++;
  }
}

function codeOf(error: unknown): string {
  return error === undefined ? OK : codeOfFailure(error);
}
