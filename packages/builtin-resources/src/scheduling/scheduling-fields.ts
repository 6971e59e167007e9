import type { PodGroupSchedulingPolicy, PodGroupSpec, PodGroupTemplate } from '@apiserver/api/scheduling/v1alpha2';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { dns1123LabelFaults, dns1123SubdomainFaults, validateLabelName } from '@apiserver/apimachinery/validation';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { type DropDisabledFields, droppingFields, gatedFields } from '../gated-fields.js';

/** Features of the groups of pods. */
export interface GroupFeatures {
  /** Groups may name the topology that their pods share. Upstream gate: TopologyAwareWorkloadScheduling */
  readonly topology: boolean;
}

/** Reads the features of groups from the gates of a server. */
export function groupFeatures(gates: FeatureGates): GroupFeatures {
  return { topology: gates.enabled('TopologyAwareWorkloadScheduling') };
}

/** A group of pods, or the template of one. */
type Group = PodGroupSpec | PodGroupTemplate;

/** Fields of preemption of whole groups, which cannot be enabled. Upstream gate: WorkloadAwarePreemption */
const PREEMPTION = ['disruptionMode', 'priorityClassName', 'priority'];
const TOPOLOGY = 'schedulingConstraints';
/** Claims that a group shares cannot be enabled either. Upstream gate: DRAWorkloadResourceClaims */
const CLAIMS = 'resourceClaims';

/**
 * Drops the fields of disabled features, each unless the old object has it. Make it once for a server.
 * Upstream: dropDisabledPodGroupSpecFields of pkg/registry/scheduling/podgroup/strategy.go
 */
export function disabledFieldsDropper(features: GroupFeatures): DropDisabledFields<Group> {
  return droppingFields([CLAIMS, ...forbiddenFields(features)].map((name) => gatedFields<Group>(name)));
}

/**
 * Lists the fields of disabled features that no update of a group may give another value. Claims are not among them:
 * their feature changes no rule. Upstream: the rules `ifDisabled` of PodGroupSpec
 */
export function forbiddenFields({ topology }: GroupFeatures): readonly string[] {
  return topology ? PREEMPTION : [TOPOLOGY, ...PREEMPTION];
}

/**
 * Validates the topology that pods share, if the feature is on.
 * Upstream: the declared rules of PodGroupSchedulingConstraints
 */
export function validateConstraints(
  { schedulingConstraints }: Group,
  { topology: isEnabled }: GroupFeatures,
  path: FieldPath,
): FieldError[] {
  const topology = schedulingConstraints?.topology ?? [];
  if (!isEnabled) return [];
  const list = path.child('schedulingConstraints', 'topology');
  if (topology.length > MAX_TOPOLOGIES) return [fieldTooMany(list, topology.length, MAX_TOPOLOGIES)];
  return topology.flatMap(({ key }, i) => {
    const place = list.index(i).child('key');
    return key === '' ? [fieldRequired(place, '')] : validateLabelName(key, place);
  });
}

const MAX_TOPOLOGIES = 1;

/** Exactly one policy is set. Upstream: the declared rules of PodGroupSchedulingPolicy */
export function validateSchedulingPolicy({ basic, gang }: PodGroupSchedulingPolicy, path: FieldPath): FieldError[] {
  if (!gang) return basic ? [] : [fieldInvalid(path, '', 'must specify one of: `basic`, `gang`')];
  const count = path.child('gang', 'minCount');
  const errors = basic ? [fieldInvalid(path, '{basic, gang}', 'must specify exactly one of: `basic`, `gang`')] : [];
  if (gang.minCount === 0) errors.push(fieldRequired(count, ''));
  else if (gang.minCount < 1) errors.push(fieldInvalid(count, gang.minCount, 'must be greater than or equal to 1'));
  return errors;
}

/** Validates a required DNS label. */
export function validateShortName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  return dns1123LabelFaults(name, 'bytes').map((fault) => fieldInvalid(path, name, fault));
}

/** Validates a required DNS subdomain. */
export function validateLongName(name: string, path: FieldPath): FieldError[] {
  return name === '' ? [fieldRequired(path, '')] : longNameFaults(name, path);
}

/** Validates a DNS subdomain. */
export function longNameFaults(name: string, path: FieldPath): FieldError[] {
  return dns1123SubdomainFaults(name, 'bytes').map((fault) => fieldInvalid(path, name, fault));
}
