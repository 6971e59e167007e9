import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { csiNodes } from './csi-node/index.js';
import { storageClasses } from './storage-class/index.js';
import { volumeAttributesClasses } from './volume-attributes-class/index.js';

/** The resources of storage.k8s.io. */
export const storageResources: readonly AnyResourceDefinition[] = [storageClasses, csiNodes, volumeAttributesClasses];
