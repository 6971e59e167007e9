import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isValidPortNum, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { PORT_PROTOCOLS } from '../pod-spec/container-enums.js';
import { validateDNS1123Label, validateQualifiedName } from '../validation/dns-fields.js';
import { validateEndpointIP } from '../validation/endpoint-ip.js';
import { type LegacyIPRules, validateLegacyIP } from '../validation/ip-fields.js';

const SUBSETS = FieldPath.of('subsets');

/** Upstream: ValidateEndpointsCreate of pkg/apis/core/validation/validation.go */
export function validateEndpoints(endpoints: Endpoints, rules: LegacyIPRules): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(endpoints.metadata, { namespaced: true }), ...validateSubsets(endpoints, rules)];
}

/** Older releases had other rules, so unchanged subsets are exempt. Upstream: ValidateEndpointsUpdate */
export function validateEndpointsUpdate(
  endpoints: Endpoints,
  old: Endpoints,
  rules: LegacyIPRules,
): readonly FieldError[] {
  const faults = validateSubsets(endpoints, rules);
  const isExempt = faults.length > 0 && equalJson(endpoints.subsets ?? [], old.subsets ?? []);
  return [
    ...validateBuiltInObjectMetaUpdate(endpoints.metadata, old.metadata),
    ...validateBuiltInObjectMeta(endpoints.metadata, { namespaced: true }),
    ...(isExempt ? [] : faults),
  ];
}

function validateSubsets({ subsets = [] }: Endpoints, rules: LegacyIPRules): FieldError[] {
  return subsets.flatMap((subset, i) => validateSubset(subset, rules, SUBSETS.index(i)));
}

function validateSubset(subset: EndpointSubset, rules: LegacyIPRules, path: FieldPath): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
  const validateAll = (list: readonly EndpointAddress[], field: string) =>
    list.flatMap((address, i) => validateAddress(address, rules, path.child(field).index(i)));
  return [
    ...(isEmpty ? [fieldRequired(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...validateAll(addresses, 'addresses'),
    ...validateAll(notReadyAddresses, 'notReadyAddresses'),
    ...ports.flatMap((port, i) => validatePort(port, ports.length > 1, path.child('ports').index(i))),
  ];
}

function validateAddress(address: EndpointAddress, rules: LegacyIPRules, path: FieldPath): FieldError[] {
  const { ip, hostname = '', nodeName } = address;
  const nodeFaults = nodeName === undefined ? [] : nameIsDNSSubdomain(nodeName);
  return [
    ...validateLegacyIP(ip, path.child('ip'), rules),
    ...(hostname === '' ? [] : validateDNS1123Label(hostname, path.child('hostname'))),
    ...nodeFaults.map((fault) => fieldInvalid(path.child('nodeName'), nodeName, fault)),
    ...validateEndpointIP(ip, path.child('ip')),
  ];
}

function validatePort(endpointPort: EndpointPort, needsName: boolean, path: FieldPath): FieldError[] {
  const { name = '', port, protocol = '', appProtocol } = endpointPort;
  return [
    ...(name === ''
      ? needsName
        ? [fieldRequired(path.child('name'), '')]
        : []
      : validateDNS1123Label(name, path.child('name'))),
    ...isValidPortNum(port).map((fault) => fieldInvalid(path.child('port'), port, fault)),
    ...validateRequiredEnum(protocol, PORT_PROTOCOLS, path.child('protocol')),
    ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, path.child('appProtocol'))),
  ];
}
