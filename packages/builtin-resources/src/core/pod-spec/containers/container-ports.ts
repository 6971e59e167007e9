import type { Container, ContainerPort } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { isValidPortName, isValidPortNum } from '@apiserver/apimachinery/validation';
import { validateRequiredEnum } from '../../../validation/enum-field.js';
import { PORT_PROTOCOLS } from '../container-enums.js';

/** Upstream: validateContainerPorts of pkg/apis/core/validation/validation.go */
export function validateContainerPorts(ports: readonly ContainerPort[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const place = path.index(i);
    return [
      ...validatePortName(port.name, names, place.child('name')),
      ...(port.containerPort
        ? validatePortNumber(port.containerPort, place.child('containerPort'))
        : [fieldRequired(place.child('containerPort'), '')]),
      ...(port.hostPort ? validatePortNumber(port.hostPort, place.child('hostPort')) : []),
      ...validateRequiredEnum(port.protocol, PORT_PROTOCOLS, place.child('protocol')),
    ];
  });
}

function validatePortName(name: string | undefined, names: Set<string>, path: FieldPath): FieldError[] {
  if (!name) return [];
  const faults = isValidPortName(name);
  if (faults.length > 0) return faults.map((fault) => fieldInvalid(path, name, fault));
  if (names.has(name)) return [fieldDuplicate(path, name)];
  names.add(name);
  return [];
}

function validatePortNumber(port: number, path: FieldPath): FieldError[] {
  return isValidPortNum(port).map((fault) => fieldInvalid(path, port, fault));
}

/** Containers must not use the same port of the host. Upstream: checkHostPortConflicts */
export function validateHostPortConflicts(containers: readonly Container[], path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, i) =>
    ports.flatMap(({ protocol = '', hostIP = '', hostPort }, j) => {
      if (!hostPort) return [];
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) return [fieldDuplicate(path.index(i).child('ports').index(j).child('hostPort'), port)];
      taken.add(port);
      return [];
    }),
  );
}
