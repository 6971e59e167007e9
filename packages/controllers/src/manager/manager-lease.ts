import type { Lease } from '@apiserver/api/coordination/v1';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import type { Informer, LoopbackClient } from '@apiserver/apiserver-contracts';
import { LEASES } from '@apiserver/controlplane';
import { createInformer, type InformerOptions, selectingClient } from '@apiserver/registry-store';

const NAMESPACE = 'kube-system';
/** Upstream: the default of kube-controller-manager's --leader-elect-resource-name */
const NAME = 'kube-controller-manager';

/**
 * The lease of a kube-controller-manager. It is held until its duration has passed since its last renewal. Renewals
 * count from the moment they are seen, because clocks of machines differ; the first one counts from its own time.
 */
export class ManagerLease implements AsyncDisposable {
  readonly #informer: Informer<Lease>;
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  /** In the clock's milliseconds. */
  #heldUntil = 0;
  /** Milliseconds after a renewal. */
  #duration = 0;
  #changed = Promise.withResolvers<void>();

  constructor(client: LoopbackClient, options: Omit<InformerOptions<Lease>, 'client' | 'namespace'>) {
    const leases = selectingClient(client.resource<Lease>(LEASES), { fieldSelector: `metadata.name=${NAME}` });
    this.#clock = durationClock(options.clock);
    this.#informer = createInformer({
      ...options,
      namespace: NAMESPACE,
      client: leases,
    });
    this.#unsubscribe = this.#informer.subscribe({
      added: (lease) => this.#hold(lease, this.#clock.now() - ageOf(lease, options.clock)),
      updated: (lease, old) => {
        const isRenewed = lease.spec.renewTime !== old.spec.renewTime;
        if (isRenewed || !isHeld(lease)) this.#hold(lease, this.#clock.now());
      },
      deleted: () => this.#holdUntil(0),
    });
  }

  /** Resolves when the lease is known. Rejects if the signal aborts before. */
  synced(signal: AbortSignal): Promise<void> {
    return this.#informer.synced(signal);
  }

  get isHeld(): boolean {
    return this.#left > 0;
  }

  /** Milliseconds for which the lease is held. It is at most its duration: clocks of machines differ. */
  get #left(): number {
    const left = this.#heldUntil - this.#clock.now();
    if (left <= this.#duration) return left;
    this.#heldUntil = this.#clock.now() + this.#duration;
    return this.#duration;
  }

  /** Resolves when the lease is held, or free; or when the signal aborts. */
  async until(wanted: 'held' | 'free', signal: AbortSignal): Promise<void> {
    const isHeld = wanted === 'held';
    while (this.isHeld !== isHeld && !signal.aborted) {
      const changed = new AbortController();
      void this.#changed.promise.then(() => changed.abort());
      const left = this.isHeld ? this.#left : MAX_WAIT_MS;
      await sleep(this.#clock, left, AbortSignal.any([signal, changed.signal]));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#informer[Symbol.asyncDispose]();
  }

  #hold(lease: Lease, renewed: number): void {
    const { leaseDurationSeconds = 0 } = lease.spec;
    this.#duration = leaseDurationSeconds * 1000;
    this.#holdUntil(isHeld(lease) ? renewed + this.#duration : 0);
  }

  #holdUntil(time: number): void {
    this.#heldUntil = time;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Milliseconds since the renewal, by the clock of the machine that wrote it. */
function ageOf({ spec }: Lease, clock: Clock): number {
  return clock.now() - (Date.parse(spec.renewTime ?? '') || 0);
}

/** A released lease has no holder. */
function isHeld({ spec }: Lease): boolean {
  return (spec.holderIdentity ?? '') !== '';
}

/** A change of the lease ends the wait. */
const MAX_WAIT_MS = 86_400_000;
