import type { PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import type { ControllerContext } from '../controller.js';
import { guardFinalizer } from '../finalizer-guard.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { ClaimUsers } from './claim-users.js';

/** Upstream: PVCProtectionFinalizer of pkg/volume/util */
const FINALIZER = 'kubernetes.io/pvc-protection';
/** Upstream: startPersistentVolumeClaimProtectionController */
const WORKERS = 1;

/**
 * Keeps deleted claims while scheduled pods use them.
 * Upstream: pkg/controller/volume/pvcprotection
 */
export async function runVolumeClaimProtection(context: ControllerContext): Promise<void> {
  const { client, clock, signal } = context;
  const knownPods = context.informer<Pod>(PODS);
  const users = new ClaimUsers({ pods: client.resource<Pod>(PODS), knownPods, clock });
  const { queue, unsubscribe } = guardFinalizer<PersistentVolumeClaim>(context, {
    finalizer: FINALIZER,
    queue: 'pvcprotection',
    workers: WORKERS,
    objects: context.informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
    client: client.resource<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
    isUsed: (claim) => users.isUsed(claim),
  });
  const addClaims = (pod: Pod) => {
    for (const name of claimsOf(pod)) queue.add(`${pod.metadata.namespace}/${name}`);
  };
  const addIfUnused = (pod: Pod) => {
    if (isTerminated(pod) || (pod.spec.nodeName ?? '') === '') addClaims(pod);
  };
  const podEvents = knownPods.subscribe({
    added: addIfUnused,
    updated: (pod, old) => {
      addIfUnused(pod);
      if (old.metadata.uid !== pod.metadata.uid) addClaims(old);
    },
    deleted: addClaims,
  });
  await runUntilAborted(signal, queue, [unsubscribe, podEvents]);
}

function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim, ephemeral, name }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

/** Upstream: IsPodTerminated of pkg/volume/util */
function isTerminated({ metadata, status }: Pod): boolean {
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return true;
  const isRunning = (status.containerStatuses ?? []).some(
    ({ state }) => state?.terminated === undefined && state?.waiting === undefined,
  );
  return metadata.deletionTimestamp !== undefined && !isRunning;
}
