import {
  exponentialBounds,
  type HistogramSeries,
  type MetricsRegistry,
  type Series,
} from '@apiserver/component-base/metrics';

/** 1 ms to about 16 s, each twice the one before. */
const bounds = exponentialBounds(0.001, 15);

interface Result {
  readonly attempts: Series;
  readonly duration: HistogramSeries;
}

/** Counts results by name, and measures their duration. */
abstract class ResultMetrics<R extends string> {
  readonly #results = new Map<R, Result>();

  /** `milliseconds` becomes seconds. */
  observe(result: R, milliseconds: number): void {
    let series = this.#results.get(result);
    if (series === undefined) {
      series = this.make(result);
      this.#results.set(result, series);
    }
    series.attempts.value++;
    series.duration.observe(milliseconds / 1_000);
  }

  protected abstract make(result: R): Result;
}

/** Upstream: k8s.io/apiserver/pkg/endpoints/filters/metrics.go */
export class AuthenticationMetrics extends ResultMetrics<'success' | 'failure' | 'error'> {
  readonly #attempts;
  readonly #duration;
  readonly #users;
  readonly #seriesOfUsers = new Map<string, Series>();

  constructor(registry: MetricsRegistry) {
    super();
    this.#attempts = registry.counter({
      name: 'authentication_attempts',
      help: 'Attempts to authenticate, by result.',
      labels: ['result'],
    });
    this.#duration = registry.histogram(
      { name: 'authentication_duration_seconds', help: 'Time to authenticate in seconds.', labels: ['result'] },
      bounds,
    );
    this.#users = registry.counter({
      name: 'authenticated_user_requests',
      help: 'Requests of authenticated users, by class of user name.',
      labels: ['username'],
    });
  }

  /** Counts the request of an authenticated user. */
  userRequest(name: string): void {
    const username = KNOWN_USERS.has(name) ? name : name.includes('@') ? 'email_id' : 'other';
    let requests = this.#seriesOfUsers.get(username);
    if (requests === undefined) {
      requests = this.#users.with({ username });
      this.#seriesOfUsers.set(username, requests);
    }
    requests.value++;
  }

  protected make(result: string): Result {
    return { attempts: this.#attempts.with({ result }), duration: this.#duration.with({ result }) };
  }
}

/** The users that upstream counts by name. Other user names are private. */
const KNOWN_USERS: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

/**
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/metrics.go (authorization_attempts_total,
 * authorization_duration_seconds)
 */
export class AuthorizationMetrics extends ResultMetrics<'allowed' | 'denied' | 'no-opinion' | 'error'> {
  readonly #attempts;
  readonly #duration;

  constructor(registry: MetricsRegistry) {
    super();
    this.#attempts = registry.counter({
      name: 'authorization_attempts_total',
      help: 'Attempts to authorize, by result.',
      labels: ['result'],
    });
    this.#duration = registry.histogram(
      { name: 'authorization_duration_seconds', help: 'Time to authorize in seconds.', labels: ['result'] },
      bounds,
    );
  }

  protected make(result: string): Result {
    return { attempts: this.#attempts.with({ result }), duration: this.#duration.with({ result }) };
  }
}
