import { type DeclType, mapDecl, structDecl } from '../kubernetes/decl-type.js';
import { ANY, BOOL, DYN, STRING, structOf } from '../types/cel-type.js';

const MAX_DOMAIN = 63;
const MAX_ID = 32;
const MAX_DRIVER = 63;
/** Longest text of an attribute; its lists are shorter. */
const MAX_VALUE = 64;
/** Most attributes and capacities of a device. */
const MAX_ENTRIES = 32;

/** The feature gates that decide on the type of devices. */
export interface DeviceFeatures {
  /** DRAConsumableCapacity: expressions see `allowMultipleAllocations`. */
  readonly consumableCapacity: boolean;
  /** DRAListTypeAttributes: an attribute may be a list. */
  readonly listTypeAttributes: boolean;
}

/** The types of a device. */
export interface DeviceType {
  /** The type of the variable `device`. */
  readonly variable: DeclType;
  /** The type of which sizes are estimated: the one with all fields. */
  readonly sized: DeclType;
  /** The type of an attribute's value. */
  readonly attribute: DeclType;
  /** The types of the keys of each map of a device. */
  readonly keys: ReadonlyMap<DeclType | undefined, DeclType>;
}

/** The types of the keys of maps: a domain, and an identifier in one. */
const DOMAIN: DeclType = { type: STRING, minSize: 2, maxElements: MAX_DOMAIN };
const ID: DeclType = { type: STRING, minSize: 2, maxElements: MAX_ID };

const QUANTITY: DeclType = { type: structOf('kubernetes.Quantity'), minSize: 8 };

/**
 * The types of `device` in selectors.
 *
 * Upstream: newCompiler of k8s.io/dynamic-resource-allocation/cel/compile.go
 */
export function deviceTypeOf({ consumableCapacity, listTypeAttributes }: DeviceFeatures): DeviceType {
  const attribute: DeclType = { type: listTypeAttributes ? DYN : ANY, minSize: 1, maxElements: MAX_VALUE };
  const attributes = mapDecl(mapDecl(attribute, MAX_ENTRIES), MAX_ENTRIES);
  const capacity = mapDecl(mapDecl(QUANTITY, MAX_ENTRIES), MAX_ENTRIES);
  const multiple: [string, DeclType] = ['allowMultipleAllocations', { type: BOOL, minSize: 4, maxElements: 1 }];
  const fields: [string, DeclType][] = [
    ['driver', { type: STRING, minSize: 2, maxElements: MAX_DRIVER }],
    ['attributes', attributes],
    ['capacity', capacity],
  ];
  const sized = structDecl('kubernetes.DRADevice', new Map([multiple, ...fields]));
  return {
    variable: consumableCapacity ? sized : structDecl('kubernetes.DRADevice', new Map(fields)),
    sized,
    attribute,
    keys: new Map([
      [attributes, DOMAIN],
      [capacity, DOMAIN],
      [attributes.element, ID],
      [capacity.element, ID],
    ]),
  };
}
