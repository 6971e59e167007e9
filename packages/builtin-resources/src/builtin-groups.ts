import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { appsResources } from './apps/index.js';
import { autoscalingResources } from './autoscaling/index.js';
import { batchResources } from './batch/index.js';
import { type BuiltinGroupVersions, builtinGroupVersions } from './builtin-group-versions.js';
import { certificatesResources } from './certificates/index.js';
import { coordinationResources } from './coordination/index.js';
import { coreResources } from './core/index.js';
import { discoveryResources } from './discovery/index.js';
import { eventsResources } from './events/index.js';
import { networkingResources } from './networking/index.js';
import { nodeResources } from './node/index.js';
import { policyResources } from './policy/index.js';
import { rbacResources } from './rbac/index.js';
import { resourceResources } from './resource/index.js';
import { schedulingResources } from './scheduling/index.js';
import { storageResources } from './storage/index.js';

/** An API group that is built in. */
export interface BuiltinGroup extends BuiltinGroupVersions {
  readonly definitions: readonly AnyResourceDefinition[];
}

type GroupName = (typeof builtinGroupVersions)[number]['group'];

/** Every built-in group with its resources, in the order in which groups are listed. */
export function builtinGroups(): readonly BuiltinGroup[] {
  const definitions: Readonly<Record<GroupName, readonly AnyResourceDefinition[]>> = {
    '': coreResources,
    apps: appsResources,
    'events.k8s.io': eventsResources,
    autoscaling: autoscalingResources,
    batch: batchResources,
    'certificates.k8s.io': certificatesResources,
    'networking.k8s.io': networkingResources,
    policy: policyResources,
    'rbac.authorization.k8s.io': rbacResources,
    'storage.k8s.io': storageResources,
    'scheduling.k8s.io': schedulingResources,
    'coordination.k8s.io': coordinationResources,
    'node.k8s.io': nodeResources,
    'discovery.k8s.io': discoveryResources,
    'resource.k8s.io': resourceResources,
  };
  return builtinGroupVersions.map(({ group, versions }) => ({ group, versions, definitions: definitions[group] }));
}
