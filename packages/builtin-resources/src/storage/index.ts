import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { csiDrivers } from './csi-driver/index.js';
import { csiNodes } from './csi-node/index.js';
import { csiStorageCapacities } from './csi-storage-capacity/index.js';
import { storageClasses } from './storage-class/index.js';
import { volumeAttachments } from './volume-attachment/index.js';
import { volumeAttributesClasses } from './volume-attributes-class/index.js';

/** The resources of storage.k8s.io. */
export const storageResources: readonly AnyResourceDefinition[] = [
  storageClasses,
  volumeAttachments,
  csiNodes,
  csiDrivers,
  csiStorageCapacities,
  volumeAttributesClasses,
];
