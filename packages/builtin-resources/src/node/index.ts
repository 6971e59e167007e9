import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { runtimeClasses } from './runtime-class/index.js';

/** The resources of node.k8s.io. */
export function nodeGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('node.k8s.io', [install(runtimeClasses)]);
}
