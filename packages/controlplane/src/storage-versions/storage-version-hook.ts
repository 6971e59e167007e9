import type { Lease } from '@apiserver/api/coordination/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import type { ControllerHook } from '../controller-hook.js';
import { LEASES } from '../leases.js';
import type { StorageVersionManager } from './storage-version-manager.js';

const LEASE_POLL_MS = 100;
const UPDATE_MS = 600_000;

/**
 * Records the storage versions of this server at start and every ten minutes. The server is not ready before the first
 * time. Waits for the server's lease, without which its records would be collected.
 * Upstream: built-in-resources-storage-version-updater in k8s.io/kube-aggregator/pkg/apiserver/apiserver.go
 */
export function storageVersionHook(manager: StorageVersionManager, clock: Clock): ControllerHook {
  return {
    name: 'built-in-resources-storage-version-updater',
    async run({ loopbackClient, signal }) {
      while (!signal.aborted && !(await hasLease(loopbackClient, manager.id))) {
        await sleep(clock, LEASE_POLL_MS, signal);
      }
      const updating = keepUpdating(manager, { clock, loopbackClient, signal });
      await Promise.race([manager.completed, updating]);
    },
  };
}

async function hasLease(client: LoopbackClient, id: string): Promise<boolean> {
  try {
    await client.resource<Lease>(LEASES).get('kube-system', id);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Resolves when the server stops. Never rejects. */
async function keepUpdating(
  manager: StorageVersionManager,
  { clock, loopbackClient, signal }: { clock: Clock; loopbackClient: LoopbackClient; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await manager.update(loopbackClient, signal);
    await sleep(clock, UPDATE_MS, signal);
  }
}
