import { type DeclType, mapDecl, structDecl } from '../kubernetes/decl-type.js';
import { ANY, BOOL, STRING, structOf } from '../types/cel-type.js';

const MAX_DOMAIN = 63;
const MAX_ID = 32;
const MAX_DRIVER = 63;
const MAX_VALUE = 64;
/** Most attributes and capacities of a device. */
const MAX_ENTRIES = 32;

/** The type of an attribute's value. */
export const ATTRIBUTE: DeclType = { type: ANY, minSize: 1, maxElements: MAX_VALUE };

/** The types of the keys of maps: a domain, and an identifier in one. */
const DOMAIN: DeclType = { type: STRING, minSize: 2, maxElements: MAX_DOMAIN };
const ID: DeclType = { type: STRING, minSize: 2, maxElements: MAX_ID };

const quantity: DeclType = { type: structOf('kubernetes.Quantity'), minSize: 8 };
const attributes = mapDecl(mapDecl(ATTRIBUTE, MAX_ENTRIES), MAX_ENTRIES);
const capacity = mapDecl(mapDecl(quantity, MAX_ENTRIES), MAX_ENTRIES);

/** The types of the keys of each map of a device. */
export const KEY_TYPES: ReadonlyMap<DeclType | undefined, DeclType> = new Map([
  [attributes, DOMAIN],
  [capacity, DOMAIN],
  [attributes.element, ID],
  [capacity.element, ID],
]);

/**
 * The type of `device` in selectors, with the features that are on by default.
 *
 * Upstream: newCompiler of k8s.io/dynamic-resource-allocation/cel/compile.go
 */
export const DEVICE: DeclType = structDecl(
  'kubernetes.DRADevice',
  new Map<string, DeclType>([
    ['driver', { type: STRING, minSize: 2, maxElements: MAX_DRIVER }],
    ['allowMultipleAllocations', { type: BOOL, minSize: 4, maxElements: 1 }],
    ['attributes', attributes],
    ['capacity', capacity],
  ]),
);
