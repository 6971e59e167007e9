import type { EndpointPort, EndpointSlice } from '@apiserver/api/discovery/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldRequired,
  fieldTooMany,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { PORT_PROTOCOLS } from '../../core/pod-spec/container-enums.js';
import { validateDNS1123Label, validateQualifiedName } from '../../core/validation/dns-fields.js';
import type { LegacyIPRules } from '../../core/validation/ip-fields.js';
import { validateEnum, validateRequiredEnum } from '../../validation/enum-field.js';
import { validateEndpoints } from './endpoint-validation.js';

const ADDRESS_TYPE = FieldPath.of('addressType');
const PORTS = FieldPath.of('ports');

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_PORTS = 20_000;

/** Upstream: ValidateEndpointSliceCreate of pkg/apis/discovery/validation/validation.go */
export function validateEndpointSlice(slice: EndpointSlice, rules: LegacyIPRules): readonly FieldError[] {
  return validate(slice, validateEndpoints(slice.endpoints ?? [], slice.addressType, rules));
}

/** Endpoints that do not change may be invalid: older rules accepted them. Upstream: ValidateEndpointSliceUpdate */
export function validateEndpointSliceUpdate(
  slice: EndpointSlice,
  old: EndpointSlice,
  rules: LegacyIPRules,
): readonly FieldError[] {
  const faults = validateEndpoints(slice.endpoints ?? [], slice.addressType, rules);
  const areStored = faults.length > 0 && equalJson(slice.endpoints ?? [], old.endpoints ?? []);
  return [
    ...validate(slice, areStored ? [] : faults),
    ...validateImmutableField(slice.addressType, old.addressType, ADDRESS_TYPE, printedAsJson(slice.addressType)),
  ];
}

function validate({ metadata, addressType, ports }: EndpointSlice, ofEndpoints: readonly FieldError[]): FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateRequiredEnum(addressType, ADDRESS_TYPES, ADDRESS_TYPE),
    ...validatePorts(ports ?? []),
    ...ofEndpoints,
  ];
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [fieldTooMany(PORTS, ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const path = PORTS.index(i);
    const duplicate = names.has(name) ? [fieldDuplicate(path.child('name'), name)] : [];
    names.add(name);
    return [
      ...(name === '' ? [] : validateDNS1123Label(name, path.child('name'))),
      ...duplicate,
      ...validateProtocol(protocol, path.child('protocol')),
      ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, path.child('appProtocol'))),
    ];
  });
}

function validateProtocol(protocol: string | undefined, path: FieldPath): FieldError[] {
  return protocol === undefined ? [fieldRequired(path, '')] : validateEnum(protocol, PORT_PROTOCOLS, path);
}
