import type { Volume } from '@apiserver/api/core/v1';
import type { Check } from '../check.js';
import { named, sorted } from '../violation.js';

type VolumeSource = Exclude<keyof Volume, 'name'>;

const ALLOWED: readonly VolumeSource[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The other types; the first that a volume has is named. */
const FORBIDDEN: readonly VolumeSource[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

/** Permits only volumes that are made for the pod or by the cluster. */
export const restrictedVolumes: Check = {
  revisions: [
    {
      since: 0,
      find: ({ spec }) => {
        const bad = spec.volumes?.filter((volume) => !ALLOWED.some((source) => volume[source])) ?? [];
        if (bad.length === 0) return undefined;
        const names = bad.map(({ name }) => name);
        const types = sorted(bad.map((volume) => FORBIDDEN.find((source) => volume[source]) ?? 'unknown'));
        const use = names.length === 1 ? 'uses' : 'use';
        const detail = `${named('volume', names)} ${use} ${named('restricted volume type', types)}`;
        return { reason: 'restricted volume types', detail };
      },
    },
  ],
};
