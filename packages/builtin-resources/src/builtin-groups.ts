import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import {
  type AdmissionRegistrationGroupDependencies,
  admissionRegistrationGroup,
} from './admissionregistration/index.js';
import { apiserverInternalGroup } from './apiserverinternal/index.js';
import { type AppsGroupDependencies, appsGroup } from './apps/index.js';
import { type AutoscalingGroupDependencies, autoscalingGroup } from './autoscaling/index.js';
import { type BatchGroupDependencies, batchGroup } from './batch/index.js';
import { type BuiltinGroupName, builtinGroupVersions } from './builtin-group-versions.js';
import { type CertificatesGroupDependencies, certificatesGroup } from './certificates/index.js';
import { type CoordinationGroupDependencies, coordinationGroup } from './coordination/index.js';
import { type CoreGroupDependencies, coreGroup } from './core/index.js';
import { discoveryGroup } from './discovery/index.js';
import { type EventsGroupDependencies, eventsGroup } from './events/index.js';
import { flowcontrolGroup } from './flowcontrol/index.js';
import { networkingGroup } from './networking/index.js';
import { nodeGroup } from './node/index.js';
import { policyGroup } from './policy/index.js';
import { type RbacGroupDependencies, rbacGroup } from './rbac/index.js';
import { type ResourceGroupDependencies, resourceGroup } from './resource/index.js';
import { type SchedulingGroupDependencies, schedulingGroup } from './scheduling/index.js';
import { storageGroup } from './storage/index.js';
import { type StorageMigrationGroupDependencies, storageMigrationGroup } from './storagemigration/index.js';

/** Dependencies of the built-in groups on their server. */
export interface BuiltinGroupDependencies
  extends AdmissionRegistrationGroupDependencies,
    AppsGroupDependencies,
    AutoscalingGroupDependencies,
    BatchGroupDependencies,
    CertificatesGroupDependencies,
    CoordinationGroupDependencies,
    CoreGroupDependencies,
    EventsGroupDependencies,
    RbacGroupDependencies,
    ResourceGroupDependencies,
    SchedulingGroupDependencies,
    StorageMigrationGroupDependencies {}

/** Creates a group of one server. */
type GroupFactory = (dependencies: BuiltinGroupDependencies) => APIGroupInfo;

const factories: Readonly<Record<BuiltinGroupName, GroupFactory>> = {
  '': coreGroup,
  apps: appsGroup,
  'events.k8s.io': eventsGroup,
  autoscaling: autoscalingGroup,
  batch: batchGroup,
  'certificates.k8s.io': certificatesGroup,
  'networking.k8s.io': networkingGroup,
  policy: policyGroup,
  'rbac.authorization.k8s.io': rbacGroup,
  'storage.k8s.io': storageGroup,
  'admissionregistration.k8s.io': admissionRegistrationGroup,
  'scheduling.k8s.io': schedulingGroup,
  'coordination.k8s.io': coordinationGroup,
  'node.k8s.io': nodeGroup,
  'discovery.k8s.io': discoveryGroup,
  'resource.k8s.io': resourceGroup,
  'flowcontrol.apiserver.k8s.io': flowcontrolGroup,
  'internal.apiserver.k8s.io': apiserverInternalGroup,
  'storagemigration.k8s.io': storageMigrationGroup,
};

/** Every built-in group with stored resources, in listing order. */
export function builtinGroups(dependencies: BuiltinGroupDependencies): readonly APIGroupInfo[] {
  return builtinGroupVersions.map(({ group }) => factories[group](dependencies));
}
