import { NodeSelectorTerm } from '@apiserver/api/core/v1';
import type { CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from '@apiserver/api/resource/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateNamed } from '../../core/validation/named-reference.js';
import { validateNodeSelector } from '../../core/validation/node-selector.js';
import { goForm } from '../../text/go-form.js';
import { validateSet } from '../validation/bounded-collections.js';
import { validateDriverName, validatePoolName } from '../validation/device-names.js';
import { validateCounters } from './counters.js';
import { validateDevice } from './device-validation.js';
import { validateSetToTrue } from './node-choice.js';

const SPEC = FieldPath.of('spec');
const MAX_DEVICES = 128;
/** The limit if a device has taints, consumes counters, or has list attributes. */
const MAX_ADVANCED_DEVICES = 64;
const MAX_COUNTER_SETS = 8;

/** Upstream: ValidateResourceSlice of pkg/apis/resource/validation/validation.go */
export function validateResourceSlice({ metadata, spec }: ResourceSlice): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: false }), ...validateSpec(spec, undefined)];
}

/** Upstream: ValidateResourceSliceUpdate */
export function validateResourceSliceUpdate(
  { metadata, spec }: ResourceSlice,
  old: ResourceSlice,
): readonly FieldError[] {
  return [...validateBuiltInObjectMetaUpdate(metadata, old.metadata), ...validateSpec(spec, old.spec)];
}

function validateSpec(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): FieldError[] {
  const { devices, sharedCounters } = spec;
  const before = new Map((old?.devices ?? []).map((device) => [device.name, device]));
  const deviceRules = {
    max: (devices ?? []).some(isAdvanced) ? MAX_ADVANCED_DEVICES : MAX_DEVICES,
    validate: (device: Device, path: FieldPath) => {
      const context = { old: before.get(device.name), choosesNode: spec.perDeviceNodeSelection === true };
      return validateDevice(device, context, path);
    },
    keyOf: ({ name }: Device) => name,
  };
  const counterRules = { max: MAX_COUNTER_SETS, validate: validateCounterSet, keyOf: ({ name }: CounterSet) => name };
  return [
    ...validateDriverName(spec.driver, SPEC.child('driver')),
    ...validatePool(spec.pool, SPEC.child('pool')),
    ...(old === undefined ? [] : validateUnchanged(spec, old)),
    ...validateNodeChoice(spec),
    ...(devices !== undefined && sharedCounters !== undefined
      ? [fieldInvalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...validateSet(devices ?? [], deviceRules, SPEC.child('devices')),
    ...validateSet(sharedCounters ?? [], counterRules, SPEC.child('sharedCounters')),
  ];
}

function validatePool({ name, resourceSliceCount: count, generation }: ResourcePool, path: FieldPath): FieldError[] {
  return [
    ...validatePoolName(name, path.child('name')),
    ...(count <= 0 ? [fieldInvalid(path.child('resourceSliceCount'), count, 'must be greater than zero')] : []),
    ...(generation < 0
      ? [fieldInvalid(path.child('generation'), generation, 'must be greater than or equal to zero')]
      : []),
  ];
}

function validateUnchanged(spec: ResourceSliceSpec, old: ResourceSliceSpec): FieldError[] {
  return [
    ...validateImmutableField(spec.pool.name, old.pool.name, SPEC.child('pool', 'name')),
    ...validateImmutableField(spec.driver, old.driver, SPEC.child('driver')),
    ...validateImmutableField(spec.nodeName, old.nodeName, SPEC.child('nodeName')),
  ];
}

/** The nodes of the devices must be specified in exactly one way. */
function validateNodeChoice(spec: ResourceSliceSpec): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const nodePath = SPEC.child('nodeName');
  const said = [
    ...(nodeName ? ['`nodeName`'] : []),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes ? ['`allNodes`'] : []),
    ...(perDeviceNodeSelection ? ['`perDeviceNodeSelection`'] : []),
  ];
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  return [
    ...(nodeName === '' ? [fieldInvalid(nodePath, '', 'must be either unset or set to a non-empty string')] : []),
    ...(nodeName ? validateNamed(nodeName, nodePath, nameIsDNSSubdomain) : []),
    ...(nodeSelector === undefined ? [] : validateSingleTerm(nodeSelector, SPEC.child('nodeSelector'))),
    ...validateSetToTrue(allNodes, SPEC.child('allNodes')),
    ...validateSetToTrue(perDeviceNodeSelection, SPEC.child('perDeviceNodeSelection')),
    ...(said.length === 0 ? [fieldRequired(SPEC, oneOf)] : []),
    ...(said.length > 1 ? [fieldInvalid(SPEC, `{${said.join(', ')}}`, `${oneOf}, but multiple fields are set`)] : []),
  ];
}

/** A single term, so that selectors of several slices can be combined. */
function validateSingleTerm(selector: NonNullable<ResourceSliceSpec['nodeSelector']>, path: FieldPath): FieldError[] {
  const errors = validateNodeSelector(selector, { allowInvalidLabelValue: false }, path);
  const { nodeSelectorTerms: terms } = selector;
  if (terms?.length === 1) return errors;
  const printed = terms?.map((term) => goForm(NodeSelectorTerm, term)) ?? null;
  return [
    ...errors,
    fieldInvalid(path.child('nodeSelectorTerms'), printed, 'must have exactly one node selector term'),
  ];
}

function isAdvanced({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean {
  if (taints.length > 0 || consumesCounters.length > 0) return true;
  return Object.values(attributes).some(
    ({ ints, bools, strings, versions }) => (ints ?? bools ?? strings ?? versions) !== undefined,
  );
}

function validateCounterSet({ name, counters = {} }: CounterSet, path: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [fieldRequired(path.child('name'), '')] : validateDNS1123Label(name, path.child('name'))),
    ...validateCounters(counters, path.child('counters')),
  ];
}
