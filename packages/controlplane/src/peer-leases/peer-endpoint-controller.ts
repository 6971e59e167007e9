import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { ControllerHook } from '../controller-hook.js';
import { SerialQueue } from '../kubernetes-service/serial-queue.js';
import type { PeerEndpoint, PeerEndpointLeases } from './peer-endpoint-leases.js';

/** Upstream: DefaultPeerEndpointReconcileInterval of pkg/controlplane/apiserver/peer.go */
const RENEW_MS = 10_000;

/** Dependencies of `peerEndpointController`. */
export interface PeerEndpointOptions {
  /** The identity of this server, from `apiServerID`. */
  readonly id: string;
  /** The address for other servers; resolves once this one listens. */
  endpoint(): Promise<PeerEndpoint>;
  readonly leases: PeerEndpointLeases;
  /** Resolves when the server is ready: before, it must not receive requests of others. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The hook, and the action before the server stops. */
export interface PeerEndpointController extends ControllerHook {
  /**
   * Takes the address away from other servers. For a pre-shutdown hook, while the API still responds. Never rejects.
   */
  stop(): Promise<void>;
}

/**
 * Publishes the address at which other kube-apiservers reach this one, while it runs.
 * Upstream: PeerEndpointLeaseController of k8s.io/apiserver/pkg/reconcilers/peer_endpoint_lease.go
 */
export function peerEndpointController(options: PeerEndpointOptions): PeerEndpointController {
  const { id, leases, logger } = options;
  const stopped = new AbortController();
  // A renewal that is under way must not follow the removal.
  const queue = new SerialQueue();
  return {
    name: 'peer-endpoint-reconciler-controller',
    async run({ signal }) {
      // Not awaited: the server becomes ready only after this hook finishes.
      void keep(options, queue, AbortSignal.any([signal, stopped.signal]));
    },
    async stop() {
      if (stopped.signal.aborted) return;
      stopped.abort();
      try {
        await queue.run(() => leases.remove(id));
      } catch (error) {
        logger.error(error, 'Unable to remove peer endpoint leases');
      }
    },
  };
}

/** Never rejects. */
async function keep(options: PeerEndpointOptions, queue: SerialQueue, signal: AbortSignal): Promise<void> {
  const { id, leases, clock, logger } = options;
  await options.whenReady().catch(() => {});
  while (!signal.aborted) {
    try {
      const endpoint = await options.endpoint();
      await queue.run(async () => {
        if (!signal.aborted) await leases.update(id, endpoint);
      });
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Unable to update peer endpoint leases');
    }
    await sleep(clock, RENEW_MS, signal);
  }
}
