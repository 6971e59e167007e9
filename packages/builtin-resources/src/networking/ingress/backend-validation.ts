import type { TypedLocalObjectReference } from '@apiserver/api/core/v1';
import type { IngressBackend, IngressServiceBackend } from '@apiserver/api/networking/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  isDNS1123Subdomain,
  isValidPortName,
  isValidPortNum,
  nameIsDNSLabel,
} from '@apiserver/apimachinery/validation';
import { validateSegment } from '../../validation/path-segment.js';

/**
 * Validates a backend: a service or another resource.
 * Upstream: validateIngressBackend of pkg/apis/networking/validation
 */
export function validateIngressBackend({ service, resource }: IngressBackend, path: FieldPath): FieldError[] {
  if (resource !== undefined && service !== undefined) {
    return [fieldInvalid(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateResource(resource, path.child('resource'));
  if (service !== undefined) return validateService(service, path);
  return [fieldInvalid(path, '', 'resource or service backend is required')];
}

function validateService({ name, port }: IngressServiceBackend, path: FieldPath): FieldError[] {
  const namePath = path.child('service', 'name');
  const errors =
    name === ''
      ? [fieldRequired(namePath, '')]
      : nameIsDNSLabel(name).map((fault) => fieldInvalid(namePath, name, fault));
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
