import type { CSINode, CSINodeDriver } from '@apiserver/api/storage/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { byteLength, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateCSIDriverName } from '../../core/pod-spec/volumes/remote-volume-sources.js';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';

const DRIVERS = FieldPath.of('spec', 'drivers');
const MAX_NODE_ID_BYTES = 256;

/** Upstream: ValidateCSINode of pkg/apis/storage/validation/validation.go */
export function validateCSINode({ metadata, spec }: CSINode): readonly FieldError[] {
  const drivers = spec.drivers ?? [];
  const isRepeated = seenBefore<string>();
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...drivers.flatMap((driver, i) => validateDriver(driver, isRepeated(driver.name), DRIVERS.index(i))),
  ];
}

/** Upstream: ValidateCSINode and then ValidateCSINodeUpdate, which calls it again */
export function validateCSINodeUpdate(node: CSINode, old: CSINode): readonly FieldError[] {
  const valid = validateCSINode(node);
  const named = Map.groupBy(node.spec.drivers ?? [], ({ name }) => name);
  const kept = (old.spec.drivers ?? []).flatMap((before) =>
    (named.get(before.name) ?? []).flatMap((after) =>
      validateImmutableField(withoutLimits(after), withoutLimits(before), DRIVERS, printed(after)),
    ),
  );
  return [...valid, ...valid, ...kept];
}

function validateDriver(driver: CSINodeDriver, isRepeated: boolean, path: FieldPath): FieldError[] {
  const { name, nodeID, topologyKeys, allocatable } = driver;
  const count = allocatable?.count ?? 0;
  return [
    ...validateCSIDriverName(name, path.child('name')),
    ...validateNodeID(nodeID, path.child('nodeID')),
    ...(count < 0
      ? [fieldInvalid(path.child('allocatable', 'count'), count, 'must be greater than or equal to 0')]
      : []),
    ...(isRepeated ? [fieldDuplicate(path.child('name'), name)] : []),
    ...validateTopologyKeys(topologyKeys ?? [], path),
  ];
}

function validateNodeID(nodeID: string, path: FieldPath): FieldError[] {
  if (nodeID === '') return [fieldRequired(path, '')];
  if (byteLength(nodeID) <= MAX_NODE_ID_BYTES) return [];
  return [fieldInvalid(path, nodeID, `must be ${MAX_NODE_ID_BYTES} characters or less`)];
}

/** Their faults have the path of the driver instead of the key, as upstream. */
function validateTopologyKeys(keys: readonly string[], driver: FieldPath): FieldError[] {
  const isRepeated = seenBefore<string>();
  return keys.flatMap((key) => [
    ...(key === '' ? [fieldRequired(driver, '')] : []),
    ...(isRepeated(key) ? [fieldDuplicate(driver, key)] : []),
    ...validateQualifiedName(key, driver),
  ]);
}

/** The immutable fields; an absent list of keys equals an empty one. */
function withoutLimits({ name, nodeID, topologyKeys }: CSINodeDriver): object {
  return { name, nodeID, topologyKeys: topologyKeys ?? [] };
}

/** A driver formatted as upstream's internal type, without the limits, which are not compared. */
function printed({ name, nodeID, topologyKeys }: CSINodeDriver): object {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}
