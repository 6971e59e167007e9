import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { csiDrivers } from './csi-driver/index.js';
import { csiNodes } from './csi-node/index.js';
import { csiStorageCapacities } from './csi-storage-capacity/index.js';
import { storageClasses } from './storage-class/index.js';
import { volumeAttachments } from './volume-attachment/index.js';
import { volumeAttributesClasses } from './volume-attributes-class/index.js';

/** The resources of storage.k8s.io. */
export function storageGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('storage.k8s.io', [
    install(storageClasses),
    install(volumeAttachments),
    install(csiNodes),
    install(csiDrivers),
    install(csiStorageCapacities),
    install(volumeAttributesClasses),
  ]);
}
