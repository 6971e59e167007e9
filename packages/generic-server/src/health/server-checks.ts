import { delayedCheck, type HealthCheck, logCheck, loopbackCheck, pingCheck } from './health-check.js';

/** The health endpoints. */
export type CheckKind = 'health' | 'livez' | 'readyz';

/** Dependencies of a server's checks. */
export interface ServerChecksOptions {
  /** Checks of all three endpoints, and of each of them alone. */
  readonly healthChecks: readonly HealthCheck[];
  readonly healthzChecks: readonly HealthCheck[];
  readonly livezChecks: readonly HealthCheck[];
  readonly readyzChecks: readonly HealthCheck[];
  /** Checks of the server behind this one; common ones run once. */
  readonly delegated: readonly HealthCheck[];
  /** Upstream flag: --livez-grace-period, in milliseconds */
  readonly livezGracePeriod: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The health checks of one server, besides its hooks. */
export class ServerChecks {
  readonly #options: ServerChecksOptions;
  readonly #checks: Readonly<Record<CheckKind, HealthCheck[]>>;

  constructor(options: ServerChecksOptions) {
    const { healthChecks, healthzChecks, livezChecks, readyzChecks, delegated } = options;
    this.#options = options;
    const own = [pingCheck, logCheck, ...healthChecks];
    const names = new Set([...own, loopbackCheck, ...healthzChecks].map(({ name }) => name));
    const checks = [...own, ...delegated.filter(({ name }) => !names.has(name))];
    this.#checks = {
      health: [...checks, loopbackCheck, ...healthzChecks],
      livez: [...checks, loopbackCheck, ...livezChecks],
      readyz: [...checks, ...readyzChecks],
    };
  }

  of(kind: CheckKind): readonly HealthCheck[] {
    return this.#checks[kind];
  }

  add(kinds: readonly CheckKind[], checks: readonly HealthCheck[]): void {
    for (const kind of kinds) this.#checks[kind].push(...checks);
  }

  /** Checks that /livez ignores while the server may still be starting. */
  delayed(checks: readonly HealthCheck[]): readonly HealthCheck[] {
    const { livezGracePeriod, now } = this.#options;
    if (livezGracePeriod === 0) return checks;
    return checks.map((check) => delayedCheck(check, now() + livezGracePeriod, now));
  }
}
