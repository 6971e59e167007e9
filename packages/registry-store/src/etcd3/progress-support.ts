import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import type { EtcdStatus } from './etcd-administration.js';

/** Time after which a member that did not respond is asked again. */
const AGAIN_MS = 1000;

/** Dependencies of `ProgressSupport`. */
export interface ProgressSupportOptions {
  readonly endpoints: readonly string[];
  readonly status: (endpoint: string) => Promise<EtcdStatus>;
  readonly clock: Clock;
}

/**
 * Determines whether watches support progress requests. Older members may respond before earlier events; one of them in
 * the cluster makes the responses useless.
 * Upstream: k8s.io/apiserver/pkg/storage/feature/feature_support_checker.go
 */
export class ProgressSupport {
  readonly #options: ProgressSupportOptions;
  #asking: Promise<boolean> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};
  /** Undefined while it is unknown. */
  supported: boolean | undefined;

  constructor(options: ProgressSupportOptions) {
    this.#options = options;
  }

  /**
   * Asks the members on first use, and repeats that while one of them does not respond; until then it counts as
   * unsupported.
   */
  known(): Promise<boolean> {
    if (this.supported !== undefined) return Promise.resolve(this.supported);
    if (!hasElapsed(durationClock(this.#options.clock), this.#askedAt, AGAIN_MS)) return Promise.resolve(false);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  stop(): void {
    this.#cancel();
  }

  async #ask(): Promise<boolean> {
    const { endpoints, status, clock } = this.#options;
    const responses = await Promise.allSettled(endpoints.map(status));
    const versions = responses.map((response) =>
      response.status === 'fulfilled' ? response.value.version : undefined,
    );
    if (versions.some((version) => version !== undefined && !supportsProgress(version))) this.supported = false;
    else if (!versions.includes(undefined)) this.supported = true;
    else {
      this.#askedAt = durationClock(clock).now();
      this.#cancel = clock.schedule(() => void this.known(), AGAIN_MS);
    }
    return this.supported ?? false;
  }
}

/** True if an etcd of this version reports progress to a watch that asks for it: from 3.4.31 and 3.5.13 on. */
export function supportsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  return minor === 5 ? patch >= 13 : minor > 5;
}
