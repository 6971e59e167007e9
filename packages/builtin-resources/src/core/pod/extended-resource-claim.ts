import type { Container, ContainerExtendedResourceRequest, Pod } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateDNS1123Label } from '../validation/dns-fields.js';

const CLAIM = FieldPath.of('status', 'extendedResourceClaimStatus');
const MAPPINGS = CLAIM.child('requestMappings');
const NO_CONTAINER = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
const NO_RESOURCE =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';

/**
 * Validates the claim of extended resources of a pod's containers.
 * Upstream: validatePodExtendedResourceClaimStatus of pkg/apis/core/validation/validation.go
 */
export function validateExtendedResourceClaim({ spec, status }: Pod): FieldError[] {
  const claim = status.extendedResourceClaimStatus;
  if (claim === undefined) return [];
  const { resourceClaimName } = claim;
  const mappings = claim.requestMappings ?? [];
  const errors: FieldError[] = [];
  if (mappings.length === 0) errors.push(fieldRequired(MAPPINGS, 'at least one request mapping is required'));
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((container) => [container.name, container]),
  );
  const seen = new Set<string>();
  for (const [i, mapping] of mappings.entries()) {
    const path = MAPPINGS.index(i);
    errors.push(
      ...validateMapping(mapping, containers, path),
      // Upstream omits the mapping from the path.
      ...validateDNS1123Label(mapping.requestName, CLAIM.child('requestName')),
      ...validateFirst(mapping, seen, path),
    );
  }
  const namePath = CLAIM.child('resourceClaimName');
  if (!resourceClaimName) return [...errors, fieldRequired(namePath, '')];
  const faults = nameIsDNSSubdomain(resourceClaimName);
  return [...errors, ...faults.map((fault) => fieldInvalid(namePath, resourceClaimName, fault))];
}

function validateMapping(
  { containerName, resourceName }: ContainerExtendedResourceRequest,
  containers: ReadonlyMap<string, Container>,
  path: FieldPath,
): FieldError[] {
  const container = containers.get(containerName);
  if (container === undefined) return [fieldInvalid(path.child('containerName'), containerName, NO_CONTAINER)];
  if (Object.hasOwn(container.resources.requests ?? {}, resourceName)) return [];
  return [fieldInvalid(path.child('resourceName'), resourceName, NO_RESOURCE)];
}

function validateFirst(mapping: ContainerExtendedResourceRequest, seen: Set<string>, path: FieldPath): FieldError[] {
  const { containerName, resourceName, requestName } = mapping;
  const key = JSON.stringify([containerName, resourceName, requestName]);
  const isFirst = !seen.has(key);
  seen.add(key);
  if (isFirst) return [];
  return [
    fieldDuplicate(path.child('containerName'), containerName),
    fieldDuplicate(path.child('resourceName'), resourceName),
    fieldDuplicate(path.child('requestName'), requestName),
  ];
}
