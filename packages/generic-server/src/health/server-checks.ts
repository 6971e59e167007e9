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
  /** Upstream flag: --livez-grace-period, in milliseconds */
  readonly livezGracePeriod: number;
}

/** The health checks of one server, in the order in which its endpoints list them. */
export class ServerChecks {
  readonly #options: ServerChecksOptions;
  readonly #checks: Readonly<Record<CheckKind, HealthCheck[]>>;
  /** Names of the checks of every server. */
  readonly #common: ReadonlySet<string>;

  constructor(options: ServerChecksOptions) {
    const { healthChecks, healthzChecks, livezChecks, readyzChecks } = options;
    this.#options = options;
    const first = [pingCheck, logCheck];
    this.#checks = {
      health: [...first, loopbackCheck, ...healthChecks, ...healthzChecks],
      livez: [...first, loopbackCheck, ...healthChecks, ...livezChecks],
      readyz: [...first, ...healthChecks, ...readyzChecks],
    };
    this.#common = new Set(this.#checks.health.map(({ name }) => name));
  }

  of(kind: CheckKind): readonly HealthCheck[] {
    return this.#checks[kind];
  }

  add(kinds: readonly CheckKind[], checks: readonly HealthCheck[]): void {
    for (const kind of kinds) this.#checks[kind].push(...checks);
  }

  /** Adds the checks of the server behind this one; common ones run once. /livez ignores none of them, as upstream. */
  addDelegated(checks: readonly HealthCheck[]): void {
    const others = checks.filter(({ name }) => !this.#common.has(name));
    this.add(['health', 'livez', 'readyz'], others);
  }

  /** Checks that /livez ignores while the server may still be starting. */
  delayed(checks: readonly HealthCheck[]): readonly HealthCheck[] {
    const { livezGracePeriod } = this.#options;
    if (livezGracePeriod === 0) return checks;
    const until = performance.now() + livezGracePeriod;
    return checks.map((check) => delayedCheck(check, until));
  }
}
