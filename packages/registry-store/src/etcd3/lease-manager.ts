import { type Clock, durationClock } from '@apiserver/apimachinery/clock';

/** Share of the time to live, and seconds at most, by which a lease is extended so that later writes can share it. */
const REUSE_PART = 0.05;
export const DEFAULT_LEASE_REUSE_SECONDS = 60;
/** Upstream: etcd3.defaultLeaseMaxObjectCount */
const MAX_OBJECTS = 1000;

/** Dependencies of `LeaseManager`. */
export interface LeaseManagerOptions {
  readonly clock: Clock;
  /** Upstream flag: --lease-reuse-duration-seconds */
  readonly reuseSeconds: number;
  /** Makes a lease; returns its id. */
  grant(seconds: number): Promise<number>;
}

/**
 * Leases for keys with a time to live. A lease is expensive, so keys that expire at nearly the same time share one.
 * Only the newest is cached: in practice there is one time to live, that of events.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/lease_manager.go
 */
export class LeaseManager {
  readonly #options: LeaseManagerOptions;
  #lease: Promise<number> | undefined;
  #expiresAt = 0;
  #objects = 0;
  #observed: (keys: number) => void = () => {};

  constructor(options: LeaseManagerOptions) {
    this.#options = options;
  }

  /** A lease that expires `ttlSeconds` from now, or slightly later. */
  leaseFor(ttlSeconds: number): Promise<number> {
    const { clock, reuseSeconds } = this.#options;
    const now = durationClock(clock).now();
    const reuse = Math.min(Math.trunc(ttlSeconds * REUSE_PART), reuseSeconds);
    const longEnough = now + ttlSeconds * 1000 < this.#expiresAt;
    // Two keys of the same millisecond share it too.
    const notTooLong = now + (ttlSeconds + reuse) * 1000 >= this.#expiresAt;
    if (this.#lease !== undefined && longEnough && notTooLong && this.#objects < MAX_OBJECTS) {
      this.#objects++;
      return this.#lease;
    }
    return this.#grant(ttlSeconds + reuse, now);
  }

  /** See KeyValueStore. Upstream: metrics.UpdateLeaseObjectCount */
  observe(observed: (keys: number) => void): void {
    this.#observed = observed;
  }

  /** Drops the cached lease: etcd no longer knows it. */
  forget(): void {
    this.#lease = undefined;
  }

  #grant(seconds: number, now: number): Promise<number> {
    const lease = this.#options.grant(seconds);
    this.#lease = lease;
    this.#expiresAt = now + seconds * 1000;
    this.#observed(this.#objects + 1);
    this.#objects = 1;
    lease.catch(() => {
      if (this.#lease === lease) this.#lease = undefined;
    });
    return lease;
  }
}
