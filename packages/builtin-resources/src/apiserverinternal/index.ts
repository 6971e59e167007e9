import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { storageVersions } from './storage-version/index.js';

/** The resources of internal.apiserver.k8s.io. */
export function apiserverInternalGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('internal.apiserver.k8s.io', [install(storageVersions)]);
}
