import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { storageClasses } from './storage-class/index.js';

/** The resources of storage.k8s.io. */
export const storageResources: readonly AnyResourceDefinition[] = [storageClasses];
