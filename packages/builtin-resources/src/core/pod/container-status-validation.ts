import type { Container, ContainerStatus, Pod, ResourceStatus } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { once } from '@apiserver/apimachinery/lazy';
import { byteLength, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../validation/enum-field.js';
import { validateUserId } from '../pod-spec/security/user-id.js';
import { validateNamed } from '../validation/named-reference.js';

const STATUS = FieldPath.of('status');
const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
/** The lists of container statuses, with their containers. */
const KINDS = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
] as const;
const EPHEMERAL = 'ephemeralContainerStatuses' as const;

/**
 * Validates the users of containers.
 * Upstream: validateContainerStatusUsers of pkg/apis/core/validation/validation.go
 */
export function validateContainerUsers({ spec, status }: Pod): FieldError[] {
  return [...KINDS.map(([statuses]) => statuses), EPHEMERAL].flatMap((statuses) =>
    (status[statuses] ?? []).flatMap(({ user }, i) => {
      const path = STATUS.child(statuses).index(i).child('user', 'linux');
      if (user?.linux === undefined) return [];
      if (spec.os?.name === 'windows') return [fieldForbidden(path, 'cannot be set for a windows pod')];
      return validateLinuxUser(user.linux, path);
    }),
  );
}

function validateLinuxUser(
  { uid, gid, supplementalGroups = [] }: NonNullable<NonNullable<ContainerStatus['user']>['linux']>,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateUserId(uid, path.child('uid')),
    ...validateUserId(gid, path.child('gid')),
    ...supplementalGroups.flatMap((group, i) => validateUserId(group, path.child('supplementalGroups').index(i))),
  ];
}

/**
 * Validates the health of containers' devices: each must be requested, and occur once. A status without a container
 * is ignored; ephemeral containers have no devices.
 * Upstream: validateContainerStatusAllocatedResourcesStatus
 */
export function validateAllocatedResources({ spec, status }: Pod): FieldError[] {
  const errors = KINDS.flatMap(([statuses, containers]) => {
    const askedFor = resourcesByContainer(spec[containers] ?? []);
    return (status[statuses] ?? []).flatMap(({ name, allocatedResourcesStatus: allocated = [] }, i) => {
      const path = STATUS.child(statuses).index(i);
      const resources = allocated.length === 0 ? undefined : askedFor.get(name)?.();
      return allocated.flatMap((resource, j) => [
        ...(resources === undefined
          ? []
          : validateAskedFor(resource, resources, path.child('allocatedResourcesStatus').index(j))),
        ...validateHealth(resource, path.child('allocatedResourcesStatus').index(j).child('resources')),
      ]);
    });
  });
  for (const [i, { allocatedResourcesStatus = [] }] of (status[EPHEMERAL] ?? []).entries()) {
    if (allocatedResourcesStatus.length === 0) continue;
    const path = STATUS.child(EPHEMERAL).index(i).child('allocatedResourcesStatus');
    errors.push(fieldForbidden(path, 'must not be specified in container status'));
  }
  return errors;
}

/** The resources that a container requests, and its claims in the form in which statuses name them. */
interface AskedFor {
  readonly requests: Readonly<Record<string, string>>;
  readonly claims: ReadonlySet<string>;
}

/** By the name of the container, the first one of the name. Computed on demand, once. */
function resourcesByContainer(containers: readonly Container[]): ReadonlyMap<string, () => AskedFor> {
  const byName = new Map<string, () => AskedFor>();
  for (const { name, resources } of containers) {
    if (byName.has(name)) continue;
    const claimed = () =>
      (resources.claims ?? []).map(({ name, request }) => `claim:${name}${request ? `/${request}` : ''}`);
    byName.set(
      name,
      once(() => ({ requests: resources.requests ?? {}, claims: new Set(claimed()) })),
    );
  }
  return byName;
}

function validateAskedFor({ name }: ResourceStatus, { requests, claims }: AskedFor, path: FieldPath): FieldError[] {
  const shown = printedAsJson(name);
  if (!name.startsWith('claim:')) {
    if (Object.hasOwn(requests, name)) return [];
    return [fieldInvalid(path.child('name'), shown, "must match one of the container's resource requests")];
  }
  if (claims.has(name)) return [];
  const forms = "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return [fieldInvalid(path.child('name'), shown, `must match one of the container's resource claims ${forms}`)];
}

function validateHealth({ resources = [] }: ResourceStatus, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ resourceID, health = '' }, k) => {
    const errors = validateEnum(health, HEALTH, path.index(k).child('health'));
    if (seen.has(resourceID)) errors.push(fieldDuplicate(path.index(k).child('resourceID'), printedAsJson(resourceID)));
    seen.add(resourceID);
    return errors;
  });
}

/** Validates the claims that a pod's claim names refer to. Upstream: validatePodResourceClaimStatuses */
export function validateClaimStatuses({ spec, status }: Pod): FieldError[] {
  const seen = new Set<string>();
  const claims = new Set((spec.resourceClaims ?? []).map((claim) => claim.name));
  return (status.resourceClaimStatuses ?? []).flatMap(({ name, resourceClaimName }, i) => {
    const path = STATUS.child('resourceClaimStatuses').index(i);
    const namePath = path.child('name');
    const errors: FieldError[] = [];
    if (!claims.has(name)) {
      errors.push(fieldInvalid(namePath, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) errors.push(fieldDuplicate(namePath, name));
    seen.add(name);
    if (resourceClaimName === undefined) return errors;
    return [...errors, ...validateNamed(resourceClaimName, path.child('resourceClaimName'), nameIsDNSSubdomain)];
  });
}

const MAX_IMAGE_REFERENCE = 256;

/**
 * Validates the references of mounted images. Upstream: validateVolumeStatus, whose path repeats the type of the volume
 */
export function validateImageVolumes({ status }: Pod): FieldError[] {
  return [...KINDS.map(([statuses]) => statuses), EPHEMERAL].flatMap((statuses) =>
    (status[statuses] ?? []).flatMap(({ volumeMounts = [] }, i) =>
      volumeMounts.flatMap(({ volumeStatus }, j) => {
        if (volumeStatus?.image === undefined) return [];
        const mount = STATUS.child(statuses).index(i).child('volumeMounts').index(j);
        return validateImageReference(
          volumeStatus.image.imageRef ?? '',
          mount.child('volumeStatus', 'imageVolumeStatus', 'imageRef'),
        );
      }),
    ),
  );
}

function validateImageReference(reference: string, path: FieldPath): FieldError[] {
  if (reference === '') return [fieldRequired(path, 'imageRef must not be empty')];
  return byteLength(reference) > MAX_IMAGE_REFERENCE ? [fieldTooLong(path, MAX_IMAGE_REFERENCE)] : [];
}
