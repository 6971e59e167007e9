import type { Service, ServicePort } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isValidPortNum } from '@apiserver/apimachinery/validation';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { PORT_PROTOCOLS } from '../pod-spec/container-enums.js';
import { validateDNS1123Label, validateQualifiedName } from '../validation/dns-fields.js';
import { validatePortNumOrName } from '../validation/port-reference.js';

const PORTS = FieldPath.of('spec', 'ports');

/** Validates each port, and duplicate names. Upstream: validateServicePort */
export function validateServicePorts({ spec: { ports = [] } }: Service): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => validatePort(port, { requireName: ports.length > 1, names, path: PORTS.index(i) }));
}

interface PortRules {
  readonly requireName: boolean;
  /** Names of earlier ports; this port's name is added. */
  readonly names: Set<string>;
  readonly path: FieldPath;
}

function validatePort(port: ServicePort, rules: PortRules): FieldError[] {
  const { path } = rules;
  return [
    ...validatePortName(port.name ?? '', rules),
    ...isValidPortNum(port.port).map((fault) => fieldInvalid(path.child('port'), port.port, fault)),
    ...validateRequiredEnum(port.protocol, PORT_PROTOCOLS, path.child('protocol')),
    ...validatePortNumOrName(port.targetPort ?? 0, path.child('targetPort')),
    ...(port.appProtocol === undefined ? [] : validateQualifiedName(port.appProtocol, path.child('appProtocol'))),
  ];
}

function validatePortName(name: string, { requireName, names, path }: PortRules): FieldError[] {
  if (name === '') return requireName ? [fieldRequired(path.child('name'), '')] : [];
  const errors = validateDNS1123Label(name, path.child('name'));
  if (names.has(name)) errors.push(fieldDuplicate(path.child('name'), name));
  names.add(name);
  return errors;
}

/** A protocol has each node port, and each port, only once. */
export function validateDuplicatePorts({ spec: { ports = [] } }: Service): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const duplicateNodePorts = ports.flatMap(({ protocol, nodePort }, i) => {
    if (!nodePort) return [];
    return isNew(nodePorts, `${protocol} ${nodePort}`)
      ? []
      : [fieldDuplicate(PORTS.index(i).child('nodePort'), nodePort)];
  });
  const duplicates = ports.flatMap(({ protocol, port }, i) => {
    return isNew(numbers, `${protocol} ${port}`) ? [] : [fieldDuplicate(PORTS.index(i), printedKey(protocol, port))];
  });
  return [...duplicateNodePorts, ...duplicates];
}

function isNew(seen: Set<string>, key: string): boolean {
  const before = seen.size;
  return seen.add(key).size > before;
}

/** The duplicate key as upstream formats it: a port of its internal type with no other fields. */
function printedKey(protocol: string | undefined, port: number): object {
  return { Name: '', Protocol: protocol ?? '', AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}
