import type { Endpoint, EndpointHints } from '@apiserver/api/discovery/v1';
import {
  appendAll,
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInternal,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidLabelValue,
  nameIsDNSSubdomain,
  validateLabels,
} from '@apiserver/apimachinery/validation';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateEndpointIP } from '../../core/validation/endpoint-ip.js';
import { ipFaults, type LegacyIPRules, validateLegacyIP } from '../../core/validation/ip-fields.js';

const ENDPOINTS = FieldPath.of('endpoints');
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_TOPOLOGY_LABELS = 16;
const MAX_HINTS = 8;
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Upstream: validateEndpoints of pkg/apis/discovery/validation/validation.go */
export function validateEndpoints(
  endpoints: readonly Endpoint[],
  addressType: string,
  rules: LegacyIPRules,
): FieldError[] {
  if (endpoints.length > MAX_ENDPOINTS) return [fieldTooMany(ENDPOINTS, endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((endpoint, i) =>
    validateEndpoint(endpoint, { type: addressType, rules }, ENDPOINTS.index(i)),
  );
}

/** The addresses that endpoints must have. */
interface Addressing {
  readonly type: string;
  readonly rules: LegacyIPRules;
}

function validateEndpoint(endpoint: Endpoint, addressing: Addressing, path: FieldPath): FieldError[] {
  const { nodeName, deprecatedTopology = {}, hostname, hints = {} } = endpoint;
  const nodeFaults = nodeName === undefined ? [] : nameIsDNSSubdomain(nodeName);
  return [
    ...validateAddresses(endpoint.addresses ?? [], addressing, path.child('addresses')),
    ...nodeFaults.map((fault) => fieldInvalid(path.child('nodeName'), nodeName, fault)),
    ...validateTopology(deprecatedTopology, path.child('deprecatedTopology')),
    ...(hostname === undefined ? [] : validateDNS1123Label(hostname, path.child('hostname'))),
    ...validateHints(hints, path.child('hints')),
  ];
}

function validateAddresses(addresses: readonly string[], { type, rules }: Addressing, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(fieldRequired(path, 'must contain at least 1 address'));
  if (addresses.length > MAX_ADDRESSES) errors.push(fieldTooMany(path, addresses.length, MAX_ADDRESSES));
  for (const [i, address] of addresses.entries()) {
    const place = path.index(i);
    if (type === 'FQDN') appendAll(errors, validateDomainName(address, place));
    // An address of an unknown type is not validated.
    if (type === 'IPv4' || type === 'IPv6') appendAll(errors, validateIP(address, type, { rules, list: path, place }));
  }
  return errors;
}

/** Only addresses of IPv6 must be canonical. An error about the family has the path of the list, as upstream. */
function validateIP(
  address: string,
  type: 'IPv4' | 'IPv6',
  { rules, list, place }: { readonly rules: LegacyIPRules; readonly list: FieldPath; readonly place: FieldPath },
): FieldError[] {
  const faults =
    type === 'IPv4'
      ? validateLegacyIP(address, place, rules)
      : ipFaults(address).map((fault) => fieldInvalid(place, address, fault));
  if (faults.length > 0) return faults;
  const isOfType = parseIPAddress(address)?.bytes.length === (type === 'IPv4' ? 4 : 16);
  return [
    ...(isOfType ? [] : [fieldInvalid(list, address, `must be an ${type} address`)]),
    ...validateEndpointIP(address, place),
  ];
}

/** Upstream: IsFullyQualifiedDomainName of k8s.io/apimachinery/pkg/util/validation/validation.go */
function validateDomainName(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [fieldRequired(path, '')];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const faults = isDNS1123Subdomain(name);
  if (faults.length > 0) return [fieldInvalid(path, name, faults.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [fieldInvalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  const bad = labels.find((label) => isDNS1123Label(label).length > 0);
  return bad === undefined ? [] : [fieldInvalid(path, bad, isDNS1123Label(bad).join(','))];
}

function validateTopology(topology: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  const count = Object.keys(topology).length;
  const errors = count > MAX_TOPOLOGY_LABELS ? [fieldTooMany(path, count, MAX_TOPOLOGY_LABELS)] : [];
  appendAll(errors, validateLabels(topology, path));
  if (Object.hasOwn(topology, ZONE_LABEL)) {
    errors.push(fieldInternal(path.key(ZONE_LABEL), new Error('reserved key was not removed in conversion')));
  }
  return errors;
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: FieldPath): FieldError[] {
  const zones = forZones.map(({ name }) => name);
  const nodes = forNodes.map(({ name }) => name);
  const ofZones = validateHintNames(zones, isValidLabelValue, path.child('forZones'));
  // Too many zones hide the faults of nodes.
  if (zones.length > MAX_HINTS) return ofZones;
  return [...ofZones, ...validateHintNames(nodes, (name) => nameIsDNSSubdomain(name), path.child('forNodes'))];
}

function validateHintNames(
  names: readonly string[],
  faultsOf: (name: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  if (names.length > MAX_HINTS) return [fieldTooMany(path, names.length, MAX_HINTS)];
  return names.flatMap((name, i) => {
    const place = path.index(i).child('name');
    return [
      ...(names.indexOf(name) < i ? [fieldDuplicate(place, name)] : []),
      ...faultsOf(name).map((fault) => fieldInvalid(place, name, fault)),
    ];
  });
}
