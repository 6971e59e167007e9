import type { Lease, LeaseSpec } from '@apiserver/api/coordination/v1';
import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import type { Logger, ResourceClient } from '@apiserver/apiserver-contracts';

/** Dependencies of a lease. */
export interface LeaderLeaseOptions {
  readonly client: Pick<ResourceClient<Lease>, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  readonly name: string;
  /** The holder that this process is; no other process has the same. */
  readonly identity: string;
  /** In milliseconds. Whole seconds of it are stored. */
  readonly leaseDuration: number;
  /** Called when a renewal had to read the lease first. Default: nobody is told. */
  onSlowRenewal?(): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A lease for which processes compete. Another holder's renewals count from the moment they are seen, because clocks of
 * machines differ. Its methods never reject.
 * Upstream: tryAcquireOrRenew and release of k8s.io/client-go/tools/leaderelection
 */
export class LeaderLease {
  readonly #options: LeaderLeaseOptions;
  /** As the server last sent it. */
  #lease: Lease | undefined = undefined;
  /** When its present spec was first seen, in the clock's milliseconds. */
  #seen = 0;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
  }

  /** True if this process was the holder when the lease was last seen. */
  get isOwn(): boolean {
    return this.#lease?.spec.holderIdentity === this.#options.identity;
  }

  /** Takes or renews the lease; false if that is not possible now. */
  async acquireOrRenew(): Promise<boolean> {
    try {
      return (await this.#renewKnown()) || (await this.#readAndTake());
    } catch (error) {
      this.#options.logger.error(error, 'Failed to acquire or renew the lease', { lease: this.#options.name });
      return false;
    }
  }

  /** Gives up the lease if this process holds it. */
  async release(): Promise<void> {
    const { client, namespace, name, clock, logger } = this.#options;
    try {
      this.#observe(await client.get(namespace, name));
      if (!this.isOwn || this.#lease === undefined) return;
      const now = formatMicroTime(clock.now());
      const { leaseTransitions = 0 } = this.#lease.spec;
      await this.#write(this.#lease, {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        leaseTransitions,
        acquireTime: now,
        renewTime: now,
      });
    } catch (error) {
      if (!isNotFound(error)) logger.error(error, 'Failed to release the lease', { lease: name });
    }
  }

  /** The own lease is written without a look at the server. */
  async #renewKnown(): Promise<boolean> {
    if (this.#lease === undefined || !this.isOwn || !this.#isValid) return false;
    try {
      await this.#write(this.#lease, this.#ownSpec(this.#lease.spec));
      return true;
    } catch {
      return false;
    }
  }

  async #readAndTake(): Promise<boolean> {
    const { client, namespace, name } = this.#options;
    let lease: Lease;
    try {
      lease = await client.get(namespace, name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#observe(await client.create(namespace, this.#newLease()));
      return true;
    }
    this.#observe(lease);
    if (!this.isOwn && lease.spec.holderIdentity && this.#isValid) return false;
    if (this.isOwn) this.#options.onSlowRenewal?.();
    await this.#write(lease, this.#ownSpec(lease.spec));
    return true;
  }

  get #isValid(): boolean {
    const { leaseDurationSeconds = 0 } = this.#lease?.spec ?? {};
    const now = durationClock(this.#options.clock).now();
    // The duration begins again when a clock of tests was set back.
    this.#seen = Math.min(this.#seen, now);
    return this.#seen + leaseDurationSeconds * 1000 > now;
  }

  /** The spec with this process as the holder. */
  #ownSpec(old?: LeaseSpec): LeaseSpec {
    const { identity, leaseDuration, clock } = this.#options;
    const now = formatMicroTime(clock.now());
    const isOwn = old?.holderIdentity === identity;
    const transitions = old?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.trunc(leaseDuration / 1000),
      acquireTime: (isOwn && old.acquireTime) || now,
      renewTime: now,
      leaseTransitions: old === undefined || isOwn ? transitions : transitions + 1,
    };
  }

  #newLease(): Lease {
    const { namespace, name } = this.#options;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name },
      spec: this.#ownSpec(),
    };
  }

  async #write(lease: Lease, spec: LeaseSpec): Promise<void> {
    this.#observe(await this.#options.client.update(this.#options.namespace, { ...lease, spec }));
  }

  #observe(lease: Lease): void {
    if (!equalJson(lease.spec, this.#lease?.spec)) this.#seen = durationClock(this.#options.clock).now();
    this.#lease = lease;
  }
}
