import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { appsResources } from './apps/index.js';
import { batchResources } from './batch/index.js';
import { coordinationResources } from './coordination/index.js';
import { coreResources } from './core/index.js';
import { discoveryResources } from './discovery/index.js';
import { eventsResources } from './events/index.js';
import { networkingResources } from './networking/index.js';
import { policyResources } from './policy/index.js';
import { rbacResources } from './rbac/index.js';
import { schedulingResources } from './scheduling/index.js';
import { storageResources } from './storage/index.js';

/** An API group that is built in. */
export interface BuiltinGroup {
  /** "" for the core group. */
  readonly group: string;
  /** Served versions in order of preference. */
  readonly versions: readonly string[];
  readonly definitions: readonly AnyResourceDefinition[];
}

/** Every built-in group with its resources, in the order in which groups are listed. */
export function builtinGroups(): readonly BuiltinGroup[] {
  return [
    { group: '', versions: ['v1'], definitions: coreResources },
    { group: 'apps', versions: ['v1'], definitions: appsResources },
    { group: 'events.k8s.io', versions: ['v1'], definitions: eventsResources },
    { group: 'batch', versions: ['v1'], definitions: batchResources },
    { group: 'networking.k8s.io', versions: ['v1'], definitions: networkingResources },
    { group: 'policy', versions: ['v1'], definitions: policyResources },
    { group: 'rbac.authorization.k8s.io', versions: ['v1'], definitions: rbacResources },
    { group: 'storage.k8s.io', versions: ['v1'], definitions: storageResources },
    { group: 'scheduling.k8s.io', versions: ['v1'], definitions: schedulingResources },
    { group: 'coordination.k8s.io', versions: ['v1'], definitions: coordinationResources },
    { group: 'discovery.k8s.io', versions: ['v1'], definitions: discoveryResources },
  ];
}
