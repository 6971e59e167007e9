import type { PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { loadedObjects } from '@apiserver/apiserver-contracts';
import type { ControllerContext } from '../controller.js';
import { guardFinalizer } from '../finalizer-guard.js';
import { runUntilAborted } from '../run-until-aborted.js';

export const CLAIMS = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
/** Upstream: PVCProtectionFinalizer of pkg/volume/util */
const FINALIZER = 'kubernetes.io/pvc-protection';
/** Upstream: startPersistentVolumeClaimProtectionController */
const WORKERS = 1;

/**
 * Keeps deleted claims while scheduled pods use them.
 * Upstream: pkg/controller/volume/pvcprotection
 */
export async function runVolumeClaimProtection(context: ControllerContext): Promise<void> {
  const { client, signal } = context;
  const pods = client.resource<Pod>(PODS);
  const { queue, unsubscribe } = guardFinalizer<PersistentVolumeClaim>(context, {
    finalizer: FINALIZER,
    queue: 'pvcprotection',
    workers: WORKERS,
    objects: context.informer<PersistentVolumeClaim>(CLAIMS),
    client: client.resource<PersistentVolumeClaim>(CLAIMS),
    isUsed: async (claim) => {
      const { items } = await pods.list(claim.metadata.namespace ?? '');
      for await (const pod of loadedObjects(items)) if (usesClaim(pod, claim)) return true;
      return false;
    },
  });
  const addClaims = (pod: Pod) => {
    for (const name of claimsOf(pod)) queue.add(`${pod.metadata.namespace}/${name}`);
  };
  const addIfUnused = (pod: Pod) => {
    if (isTerminated(pod) || (pod.spec.nodeName ?? '') === '') addClaims(pod);
  };
  const podEvents = context.informer<Pod>(PODS).subscribe({
    added: addIfUnused,
    updated: (pod, old) => {
      addIfUnused(pod);
      if (old.metadata.uid !== pod.metadata.uid) addClaims(old);
    },
    deleted: addClaims,
  });
  await runUntilAborted(signal, queue, [unsubscribe, podEvents]);
}

/** A pod without a node does not count: no kubelet starts it with a deleted claim. Upstream: podUsesPVC */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false;
  const { name = '' } = claim.metadata;
  return (pod.spec.volumes ?? []).some(
    ({ persistentVolumeClaim, ephemeral, name: volume }) =>
      persistentVolumeClaim?.claimName === name ||
      (ephemeral !== undefined &&
        `${pod.metadata.name}-${volume}` === name &&
        !isShutDown(pod) &&
        isControlledBy(claim, pod)),
  );
}

function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim, ephemeral, name }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

/**
 * The kubelet is done with it, or it was deleted by force; its own finalizers may still keep it.
 * Upstream: podIsShutDown
 */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function isControlledBy({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  const controller = (metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  return controller?.uid === pod.metadata.uid;
}

/** Upstream: IsPodTerminated of pkg/volume/util */
function isTerminated({ metadata, status }: Pod): boolean {
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return true;
  const isRunning = (status.containerStatuses ?? []).some(
    ({ state }) => state?.terminated === undefined && state?.waiting === undefined,
  );
  return metadata.deletionTimestamp !== undefined && !isRunning;
}
