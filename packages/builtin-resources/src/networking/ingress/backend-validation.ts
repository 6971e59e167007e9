import type { TypedLocalObjectReference } from '@apiserver/api/core/v1';
import type { IngressBackend, IngressServiceBackend } from '@apiserver/api/networking/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  isDNS1123Subdomain,
  isValidPortName,
  isValidPortNum,
  nameIsDNS1035Label,
  nameIsDNSLabel,
} from '@apiserver/apimachinery/validation';
import { validateSegment } from '../../validation/path-segment.js';

/** Rules for the names of services in backends. */
export interface BackendRules {
  /** Names may begin with digits. Feature gate: RelaxedServiceNameValidation */
  readonly relaxedServiceNames: boolean;
}

/**
 * Validates a backend: a service or another resource.
 * Upstream: validateIngressBackend of pkg/apis/networking/validation
 */
export function validateIngressBackend(
  { service, resource }: IngressBackend,
  rules: BackendRules,
  path: FieldPath,
): FieldError[] {
  if (resource !== undefined && service !== undefined) {
    return [fieldInvalid(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateResource(resource, path.child('resource'));
  if (service !== undefined) return validateService(service, rules, path);
  return [fieldInvalid(path, '', 'resource or service backend is required')];
}

/** Reports whether only the relaxed rule accepts the name of a backend's service. */
export function hasRelaxedServiceName({ service }: IngressBackend): boolean {
  const name = service?.name ?? '';
  return nameIsDNSLabel(name).length === 0 && nameIsDNS1035Label(name).length > 0;
}

function validateService({ name, port }: IngressServiceBackend, rules: BackendRules, path: FieldPath): FieldError[] {
  const validateName = rules.relaxedServiceNames ? nameIsDNSLabel : nameIsDNS1035Label;
  const namePath = path.child('service', 'name');
  const errors =
    name === ''
      ? [fieldRequired(namePath, '')]
      : validateName(name).map((fault) => fieldInvalid(namePath, name, fault));
  const { name: portName = '', number = 0 } = port;
  const portPath = path.child('service', 'port');
  if (portName !== '' && number !== 0) {
    return [...errors, fieldInvalid(path, '', 'cannot set both port name & port number')];
  }
  if (portName === '' && number === 0) return [...errors, fieldRequired(path, 'port name or number is required')];
  const faults = portName === '' ? isValidPortNum(number) : isValidPortName(portName);
  const place = portName === '' ? portPath.child('number') : portPath.child('name');
  return [...errors, ...faults.map((fault) => fieldInvalid(place, portName === '' ? number : portName, fault))];
}

function validateResource({ apiGroup, kind, name }: TypedLocalObjectReference, path: FieldPath): FieldError[] {
  const groupFaults = apiGroup === undefined || apiGroup === null ? [] : isDNS1123Subdomain(apiGroup);
  return [
    ...groupFaults.map((fault) => fieldInvalid(path.child('apiGroup'), apiGroup, fault)),
    ...validateSegment(kind, path.child('kind')),
    ...validateSegment(name, path.child('name')),
  ];
}
