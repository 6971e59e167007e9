import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { controllerRevisions } from './controller-revision/index.js';
import { daemonSets } from './daemon-set/index.js';
import { deployments } from './deployment/index.js';
import { replicaSets } from './replica-set/index.js';
import { statefulSets } from './stateful-set/index.js';

/** The resources of the group apps: workloads that run until they are deleted. */
export const appsResources: readonly AnyResourceDefinition[] = [
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
];
