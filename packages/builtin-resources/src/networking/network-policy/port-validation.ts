import type { NetworkPolicyPort } from '@apiserver/api/networking/v1';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isValidPortName, isValidPortNum } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../validation/enum-field.js';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

/**
 * Validates a port, a port range, or a named port.
 * Upstream: ValidateNetworkPolicyPort of pkg/apis/networking/validation
 */
export function validateNetworkPolicyPort(port: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const { protocol } = port;
  return [
    ...(protocol === undefined ? [] : validateEnum(protocol, PROTOCOLS, path.child('protocol'))),
    ...validateRange(port, path),
  ];
}

function validateRange({ port, endPort }: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const end = path.child('endPort');
  if (port === undefined) return misplacedEnd(endPort, 'may not be specified when `port` is not specified', end);
  if (typeof port === 'string') {
    return [
      ...misplacedEnd(endPort, 'may not be specified when `port` is non-numeric', end),
      ...isValidPortName(port).map((fault) => fieldInvalid(path.child('port'), port, fault)),
    ];
  }
  const errors = isValidPortNum(port).map((fault) => fieldInvalid(path.child('port'), port, fault));
  if (endPort === undefined) return errors;
  // The message shows the port instead of its end, as upstream.
  if (endPort < port) errors.push(fieldInvalid(end, port, 'must be greater than or equal to `port`'));
  return [...errors, ...isValidPortNum(endPort).map((fault) => fieldInvalid(end, endPort, fault))];
}

function misplacedEnd(endPort: number | undefined, fault: string, path: FieldPath): FieldError[] {
  return endPort === undefined ? [] : [fieldInvalid(path, endPort, fault)];
}
