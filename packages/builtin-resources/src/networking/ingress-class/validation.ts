import type { IngressClass, IngressClassParametersReference } from '@apiserver/api/networking/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import {
  byteLength,
  isDNS1123Subdomain,
  validateDomainPrefixedPath,
  validateImmutableField,
  validateNamespaceName,
} from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateSegment } from '../../validation/path-segment.js';

const CONTROLLER = FieldPath.of('spec', 'controller');
const PARAMETERS = FieldPath.of('spec', 'parameters');
/** In bytes. */
const MAX_CONTROLLER_LENGTH = 250;
const SCOPES = ['Cluster', 'Namespace'];

/** Upstream: ValidateIngressClass of pkg/apis/networking/validation/validation.go */
export function validateIngressClass({ metadata, spec }: IngressClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...validateController(spec.controller ?? ''),
    ...(spec.parameters === undefined ? [] : validateParameters(spec.parameters)),
  ];
}

/** Upstream: ValidateIngressClassUpdate */
export function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(ingressClass.metadata, old.metadata),
    ...validateImmutableField(ingressClass.spec.controller ?? '', old.spec.controller ?? '', CONTROLLER),
    ...validateIngressClass(ingressClass),
  ];
}

function validateController(controller: string): FieldError[] {
  if (controller === '') return [fieldRequired(CONTROLLER, '')];
  const tooLong = byteLength(controller) > MAX_CONTROLLER_LENGTH;
  return [
    ...(tooLong ? [fieldTooLong(CONTROLLER, MAX_CONTROLLER_LENGTH)] : []),
    ...validateDomainPrefixedPath(controller, CONTROLLER),
  ];
}

function validateParameters(parameters: IngressClassParametersReference): FieldError[] {
  const { apiGroup, kind, name } = parameters;
  const groupFaults = apiGroup === undefined ? [] : isDNS1123Subdomain(apiGroup);
  return [
    ...groupFaults.map((fault) => fieldInvalid(PARAMETERS.child('apiGroup'), apiGroup, fault)),
    ...validateSegment(kind, PARAMETERS.child('kind')),
    ...validateSegment(name, PARAMETERS.child('name')),
    ...validateScope(parameters),
  ];
}

function validateScope({ scope, namespace }: IngressClassParametersReference): FieldError[] {
  if (scope === undefined || scope === null) return [fieldRequired(PARAMETERS.child('scope'), '')];
  if (!SCOPES.includes(scope)) return [fieldNotSupported(PARAMETERS.child('scope'), scope, SCOPES)];
  const path = PARAMETERS.child('namespace');
  if (scope === 'Cluster') {
    return namespace === undefined ? [] : [fieldForbidden(path, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [fieldRequired(path, "`parameters.scope` is set to 'Namespace'")];
  return validateNamespaceName(namespace).map((fault) => fieldInvalid(path, namespace, fault));
}
