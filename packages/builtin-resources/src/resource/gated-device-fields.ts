import type {
  DeviceClaim,
  DeviceClass,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceSlice,
} from '@apiserver/api/resource/v1';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { type DropDisabledFields, droppingFields, type GatedFields, gatedFields } from '../gated-fields.js';

type GatedBy<T> = readonly (readonly [gate: string, fields: GatedFields<T>])[];

const CLAIM_CAPACITY = gatedFields<DeviceClaim>(
  'constraints.*.distinctAttribute',
  'requests.*.exactly.capacity',
  'requests.*.firstAvailable.*.capacity',
);

/** Upstream: pkg/api/resourceclaimspec */
const CLAIM_FIELDS: GatedBy<DeviceClaim> = [
  ['DRAPrioritizedList', gatedFields('requests.*.firstAvailable')],
  ['DRADeviceTaints', gatedFields('requests.*.exactly.tolerations', 'requests.*.firstAvailable.*.tolerations')],
  ['DRAConsumableCapacity', CLAIM_CAPACITY],
];

const RESULTS = 'allocation.devices.results.*';
const STATUS_CAPACITY = gatedFields<ResourceClaimStatus>(
  `${RESULTS}.shareID`,
  `${RESULTS}.consumedCapacity`,
  'devices.*.shareID',
);

/** A claim whose spec uses capacity keeps that of its status. Upstream: pkg/registry/resource/resourceclaim/strategy.go */
const CLAIM_STATUS_FIELDS: GatedBy<ResourceClaim> = [
  ['DRAResourceClaimDeviceStatus', gatedFields('status.devices')],
  [
    'DRAConsumableCapacity',
    {
      isUsed: ({ spec, status }) => CLAIM_CAPACITY.isUsed(spec.devices) || STATUS_CAPACITY.isUsed(status),
      drop: ({ status }) => STATUS_CAPACITY.drop(status),
    },
  ],
  [
    'DRADeviceBindingConditions',
    gatedFields(`status.${RESULTS}.bindingConditions`, `status.${RESULTS}.bindingFailureConditions`),
  ],
];

const ATTRIBUTES = 'spec.devices.*.attributes.*';
const MAPPINGS = 'spec.devices.*.nodeAllocatableResourceMappings';

const devices = (...fields: readonly string[]) => fields.map((field) => `spec.devices.*.${field}`);

/** Upstream: pkg/registry/resource/resourceslice/strategy.go */
const SLICE_FIELDS: GatedBy<ResourceSlice> = [
  ['DRADeviceTaints', gatedFields(...devices('taints'))],
  [
    'DRAPartitionableDevices',
    gatedFields(
      ...['spec.sharedCounters', 'spec.perDeviceNodeSelection'],
      ...devices('consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'),
    ),
  ],
  [
    'DRADeviceBindingConditions',
    gatedFields(...devices('bindsToNode', 'bindingConditions', 'bindingFailureConditions')),
  ],
  ['DRAConsumableCapacity', gatedFields(...devices('allowMultipleAllocations', 'capacity.*.requestPolicy'))],
  [
    'DRAListTypeAttributes',
    gatedFields(...['ints', 'bools', 'strings', 'versions'].map((list) => `${ATTRIBUTES}.${list}`)),
  ],
  // An empty map is not in use.
  [
    'DRANodeAllocatableResources',
    { ...gatedFields<ResourceSlice>(MAPPINGS), isUsed: gatedFields<ResourceSlice>(`${MAPPINGS}.*`).isUsed },
  ],
];

/** Upstream: pkg/registry/resource/deviceclass/strategy.go */
const CLASS_FIELDS: GatedBy<DeviceClass> = [['DRAExtendedResource', gatedFields('spec.extendedResourceName')]];

/** Makes the droppers for the fields of one server's disabled features. */
export const claimFieldsDropper = (features: FeatureGates) => dropperOf(CLAIM_FIELDS, features);
export const claimStatusFieldsDropper = (features: FeatureGates) => dropperOf(CLAIM_STATUS_FIELDS, features);
export const sliceFieldsDropper = (features: FeatureGates) => dropperOf(SLICE_FIELDS, features);
export const classFieldsDropper = (features: FeatureGates) => dropperOf(CLASS_FIELDS, features);

function dropperOf<T>(table: GatedBy<T>, features: FeatureGates): DropDisabledFields<T> {
  return droppingFields(table.flatMap(([gate, fields]) => (features.enabled(gate) ? [] : [fields])));
}
