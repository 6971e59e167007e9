import type { PersistentVolume } from '@apiserver/api/core/v1';
import type { ControllerContext } from '../controller.js';
import { guardFinalizer } from '../finalizer-guard.js';
import { PERSISTENT_VOLUMES } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: PVProtectionFinalizer of pkg/volume/util */
const FINALIZER = 'kubernetes.io/pv-protection';
/** Upstream: startPersistentVolumeProtectionController */
const WORKERS = 1;

/**
 * Keeps deleted volumes while they are bound to claims.
 * Upstream: pkg/controller/volume/pvprotection
 */
export async function runVolumeProtection(context: ControllerContext): Promise<void> {
  const { queue, unsubscribe } = guardFinalizer<PersistentVolume>(context, {
    finalizer: FINALIZER,
    queue: 'pvprotection',
    workers: WORKERS,
    objects: context.informer<PersistentVolume>(PERSISTENT_VOLUMES),
    client: context.client.resource<PersistentVolume>(PERSISTENT_VOLUMES),
    isUsed: ({ status }) => status.phase === 'Bound',
  });
  await runUntilAborted(context.signal, queue, [unsubscribe]);
}
