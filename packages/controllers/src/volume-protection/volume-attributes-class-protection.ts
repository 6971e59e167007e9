import type { PersistentVolume, PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { type Informer, loadedObjects } from '@apiserver/apiserver-contracts';
import type { ControllerContext } from '../controller.js';
import { guardFinalizer } from '../finalizer-guard.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: VACProtectionFinalizer of pkg/volume/util */
const FINALIZER = 'kubernetes.io/vac-protection';
/** Upstream: newVolumeAttributesClassProtectionController of cmd/kube-controller-manager/app/core.go */
const WORKERS = 1;

/**
 * Keeps deleted classes while claims or volumes name them.
 * Upstream: pkg/controller/volume/vacprotection
 */
export async function runVolumeAttributesClassProtection(context: ControllerContext): Promise<void> {
  const { client, signal } = context;
  const claims = context.informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  const volumes = context.informer<PersistentVolume>(PERSISTENT_VOLUMES);
  const isListed = async <T extends KubeObject>(resource: GroupVersionResource, isUser: (object: T) => boolean) => {
    const { items } = await client.resource<T>(resource).list('');
    for await (const object of loadedObjects(items)) if (isUser(object)) return true;
    return false;
  };
  await Promise.all([claims.synced(signal), volumes.synced(signal)]);
  const { queue, unsubscribe } = guardFinalizer<VolumeAttributesClass>(context, {
    finalizer: FINALIZER,
    queue: 'vacprotection',
    workers: WORKERS,
    objects: context.informer<VolumeAttributesClass>(VOLUME_ATTRIBUTES_CLASSES),
    client: client.resource<VolumeAttributesClass>(VOLUME_ATTRIBUTES_CLASSES),
    // Only the last claim or volume of a class needs the server's newest state: many may be deleted together.
    isUsed: async ({ metadata: { name = '' } }) => {
      const isVolume = (volume: PersistentVolume) => classesOfVolume(volume).includes(name);
      const isClaim = (claim: PersistentVolumeClaim) => classesOfClaim(claim).includes(name);
      if (volumes.list().some(isVolume) || claims.list().some(isClaim)) return true;
      return (await isListed(PERSISTENT_VOLUMES, isVolume)) || isListed(PERSISTENT_VOLUME_CLAIMS, isClaim);
    },
  });
  const add = (name: string) => queue.add(`/${name}`);
  const addLeft = <T extends KubeObject>(users: Informer<T>, classesOf: (user: T) => readonly string[]) =>
    users.subscribe({
      updated: (user, old) => {
        const kept = classesOf(user);
        for (const name of classesOf(old)) if (!kept.includes(name)) add(name);
      },
      deleted: (user) => {
        for (const name of classesOf(user)) add(name);
      },
    });
  await runUntilAborted(signal, queue, [
    unsubscribe,
    addLeft(claims, classesOfClaim),
    addLeft(volumes, classesOfVolume),
  ]);
}

/** Upstream: getPVCReferencedVACNames */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const { currentVolumeAttributesClassName = '', modifyVolumeStatus } = status;
  const { targetVolumeAttributesClassName = '' } = modifyVolumeStatus ?? {};
  const names = [
    spec.volumeAttributesClassName ?? '',
    currentVolumeAttributesClassName,
    targetVolumeAttributesClassName,
  ];
  return names.filter((name) => name !== '');
}

/** Upstream: getPVReferencedVACNames */
function classesOfVolume({ spec: { volumeAttributesClassName = '' } }: PersistentVolume): readonly string[] {
  return volumeAttributesClassName === '' ? [] : [volumeAttributesClassName];
}
