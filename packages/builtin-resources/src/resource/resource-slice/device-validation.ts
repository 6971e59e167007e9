import type { Device, DeviceAttribute, DeviceCounterConsumption, DeviceTaint } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateNamed } from '../../core/validation/named-reference.js';
import { validateNodeSelector } from '../../core/validation/node-selector.js';
import { validateBindingParameters } from '../validation/binding-conditions.js';
import { validateList, validateMap, validateSet } from '../validation/bounded-collections.js';
import { MAX_QUALIFIED_NAME_LENGTH, validateQualifiedDeviceName } from '../validation/device-names.js';
import { validateDeviceTaint } from '../validation/device-taints.js';
import { validateDeviceAttribute } from './attribute-validation.js';
import { validateDeviceCapacity } from './capacity-validation.js';
import { validateCounters } from './counters.js';
import { validateSetToTrue } from './node-choice.js';
import { validateResourceMappings } from './resource-mappings.js';

const MAX_ATTRIBUTES_AND_CAPACITIES = 32;
/** Upstream: ResourceSliceMaxAttributeValuesPerDevice of k8s.io/api/resource/v1/types.go */
const MAX_ATTRIBUTE_VALUES = 48;
const MAX_TAINTS = 16;
const MAX_CONSUMPTIONS = 2;

/** Properties of the slice for validating its devices. */
interface DeviceContext {
  /** The stored device with the same name. */
  readonly old: Device | undefined;
  /** Each device specifies its nodes. */
  readonly choosesNode: boolean;
}

/** Upstream: validateDevice of pkg/apis/resource/validation/validation.go */
export function validateDevice(device: Device, { old, choosesNode }: DeviceContext, path: FieldPath): FieldError[] {
  const { attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  const named = { maxKeyLength: MAX_QUALIFIED_NAME_LENGTH, validateKey: validateQualifiedDeviceName };
  const allowsSeveral = device.allowMultipleAllocations === true;
  const consumption = {
    max: MAX_CONSUMPTIONS,
    validate: validateConsumption,
    keyOf: ({ counterSet }: DeviceCounterConsumption) => counterSet,
  };
  const sameTaints = old !== undefined && equalJson(taints, old.taints ?? []);
  const taintRules = {
    max: MAX_TAINTS,
    validate: (taint: DeviceTaint, at: FieldPath) => validateDeviceTaint(taint, at),
  };
  return [
    ...validateDNS1123Label(device.name, path.child('name')),
    ...validateCount(
      Object.keys(attributes).length + Object.keys(capacity).length,
      MAX_ATTRIBUTES_AND_CAPACITIES,
      'attributes and capacities',
      path,
    ),
    ...validateCount(countValues(attributes), MAX_ATTRIBUTE_VALUES, 'attribute values', path),
    ...validateMap(attributes, { ...named, validate: validateDeviceAttribute }, path.child('attributes')),
    ...validateMap(
      capacity,
      { ...named, validate: (entry, at) => validateDeviceCapacity(entry, allowsSeveral, at) },
      path.child('capacity'),
    ),
    ...(sameTaints ? [] : validateList(taints, taintRules, path.child('taints'))),
    ...validateSet(consumesCounters, consumption, path.child('consumesCounters')),
    ...(choosesNode ? validateNodeChoice(device, path) : validateNoNodeChoice(device, path)),
    ...validateBindingParameters(device, path),
    ...validateResourceMappings(device, path.child('nodeAllocatableResourceMappings')),
  ];
}

function validateCount(count: number, max: number, what: string, path: FieldPath): FieldError[] {
  return count > max ? [fieldInvalid(path, count, `the total number of ${what} must not exceed ${max}`)] : [];
}

/** Each item of a list counts. Upstream: numEntriesDeviceAttribute */
function countValues(attributes: Readonly<Record<string, DeviceAttribute>>): number {
  return Object.values(attributes).reduce((sum, { ints, bools, strings, versions }) => {
    const items = [ints, bools, strings, versions].reduce((count, list) => count + (list?.length ?? 0), 0);
    return sum + Math.max(items, 1);
  }, 0);
}

function validateConsumption({ counterSet, counters = {} }: DeviceCounterConsumption, path: FieldPath): FieldError[] {
  const at = path.child('counterSet');
  return [
    ...(counterSet === '' ? [fieldRequired(at, '')] : validateDNS1123Label(counterSet, at)),
    ...validateCounters(counters, path.child('counters')),
  ];
}

function validateNodeChoice({ nodeName, nodeSelector, allNodes }: Device, path: FieldPath): FieldError[] {
  const nodePath = path.child('nodeName');
  const said = [
    ...(nodeName ? ['`nodeName`'] : []),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes ? ['`allNodes`'] : []),
  ];
  const oneOf =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [
    ...(nodeName === '' ? [fieldInvalid(nodePath, '', 'must not be empty')] : []),
    ...(nodeName ? validateNamed(nodeName, nodePath, nameIsDNSSubdomain) : []),
    ...(nodeSelector === undefined
      ? []
      : validateNodeSelector(nodeSelector, { allowInvalidLabelValue: false }, path.child('nodeSelector'))),
    ...validateSetToTrue(allNodes, path.child('allNodes')),
    ...(said.length === 0 ? [fieldRequired(path, oneOf)] : []),
    ...(said.length > 1 ? [fieldInvalid(path, `{${said.join(', ')}}`, oneOf)] : []),
  ];
}

function validateNoNodeChoice({ nodeName, nodeSelector, allNodes }: Device, path: FieldPath): FieldError[] {
  if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [fieldInvalid(path, null, detail)];
}
