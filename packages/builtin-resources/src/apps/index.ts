import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import type { ContainerPolicy } from '../core/pod-spec/security/container-policy.js';
import { controllerRevisions } from './controller-revision/index.js';
import { daemonSets } from './daemon-set/index.js';
import { deployments } from './deployment/index.js';
import { replicaSets } from './replica-set/index.js';
import { statefulSets } from './stateful-set/index.js';

/** Dependencies of workloads on their server. */
export interface AppsGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
  readonly containers: ContainerPolicy;
}

/** The group apps: workloads that run until they are deleted. */
export function appsGroup({ install, features, containers }: AppsGroupDependencies): APIGroupInfo {
  return builtinGroup('apps', [
    install(controllerRevisions),
    install(daemonSets(containers)),
    install(deployments(containers, features)),
    install(replicaSets(containers, features)),
    install(statefulSets({ features, containers })),
  ]);
}
