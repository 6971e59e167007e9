import type {
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateEnum } from '../../../validation/enum-field.js';
import { validateQualifiedName } from '../../validation/dns-fields.js';
import { validateFileMode } from '../../validation/file-mode.js';
import { validateLocalNonReservedPath } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

/** Downward API fields available in volumes. */
const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Downward API fields available in environment variables. */
export const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Every valid field path, and the former name of one. Upstream: ConvertDownwardAPIFieldLabel */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

const CONTAINER_RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** Upstream: validateDownwardAPIVolumeSource of pkg/apis/core/validation/validation.go */
export function validateDownwardAPIVolume(source: DownwardAPIVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((file) => validateDownwardAPIFile(file, path)),
  ];
}

/** Faults have the path of the volume instead of the file, as upstream. Upstream: validateDownwardAPIVolumeFile */
export function validateDownwardAPIFile(file: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(file.path, path.child('path')),
    ...validateLocalNonReservedPath(file.path, path.child('path')),
    ...validateFileContent(file, path),
    ...validateFileMode(file.mode, path.child('mode')),
  ];
}

function validateFileContent({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  if (fieldRef !== undefined) {
    const errors = validateObjectField(fieldRef, VOLUME_FIELDS, path.child('fieldRef'));
    if (resourceFieldRef === undefined) return errors;
    const message = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [...errors, fieldInvalid(path, 'resource', message)];
  }
  if (resourceFieldRef === undefined) return [fieldRequired(path, 'one of fieldRef and resourceFieldRef is required')];
  return validateResourceField(resourceFieldRef, { needsContainer: true }, path.child('resourceFieldRef'));
}

/** Validates a field of the pod. Upstream: validateObjectFieldSelector */
export function validateObjectField(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (!apiVersion) return [fieldRequired(path.child('apiVersion'), '')];
  const place = path.child('fieldPath');
  if (!fieldPath) return [fieldRequired(place, '')];
  const [name, subscript] = splitSubscript(fieldPath);
  const fault = fieldLabelFault(apiVersion, name, subscript);
  if (fault !== undefined) return [fieldInvalid(place, fieldPath, `error converting fieldPath: ${fault}`)];
  if (subscript === undefined) return validateEnum(name === 'spec.host' ? 'spec.nodeName' : name, supported, place);
  return validateQualifiedName(name === 'metadata.annotations' ? lowerCase(subscript) : subscript, path);
}

/** Splits `metadata.labels['app']`. Upstream: SplitMaybeSubscriptedPath of pkg/fieldpath/fieldpath.go */
function splitSubscript(fieldPath: string): readonly [string, string | undefined] {
  const match = /^([^[]+)\['(.*)'\]$/s.exec(fieldPath);
  return match === null ? [fieldPath, undefined] : [match[1] ?? '', match[2]];
}

function fieldLabelFault(apiVersion: string, name: string, subscript: string | undefined): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (subscript !== undefined) {
    if (name === 'metadata.annotations' || name === 'metadata.labels') return undefined;
    return `field label does not support subscript: ${name}['${subscript}']`;
  }
  return KNOWN_FIELDS.has(name) || name === 'spec.host' ? undefined : `field label not supported: ${name}`;
}

/** Validates a resource of a container. Upstream: validateContainerResourceFieldSelector */
export function validateResourceField(
  { containerName, resource, divisor }: ResourceFieldSelector,
  { needsContainer }: { readonly needsContainer: boolean },
  path: FieldPath,
): FieldError[] {
  const divisorFaults = validateDivisor(resource, divisor ?? '0', path.child('divisor'));
  if (needsContainer && !containerName) return [fieldRequired(path.child('containerName'), ''), ...divisorFaults];
  if (!resource) return [fieldRequired(path.child('resource'), ''), ...divisorFaults];
  if (isHugePages(resource)) return divisorFaults;
  return [...validateEnum(resource, CONTAINER_RESOURCES, path.child('resource')), ...divisorFaults];
}

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');
}

const BYTE_UNITS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** The divisors of a resource, and its name in messages. */
function divisorRule(resource: string): { readonly units: string; readonly named: string } | undefined {
  if (isHugePages(resource)) return { units: BYTE_UNITS, named: 'hugepages' };
  switch (resource) {
    case 'limits.cpu':
    case 'requests.cpu':
      return { units: '1m and 1', named: 'cpu' };
    case 'limits.memory':
    case 'requests.memory':
      return { units: BYTE_UNITS, named: 'memory' };
    case 'limits.ephemeral-storage':
    case 'requests.ephemeral-storage':
      return { units: BYTE_UNITS, named: 'local ephemeral storage' };
    default:
      return undefined;
  }
}

/** Upstream: validateContainerResourceDivisor */
function validateDivisor(resource: string, divisor: string, path: FieldPath): FieldError[] {
  const quantity = Quantity.parse(divisor);
  const rule = quantity.isZero ? undefined : divisorRule(resource);
  if (rule === undefined || rule.units.split(/, | and /).includes(quantity.toString())) return [];
  const message = `only divisor's values ${rule.units} are supported with the ${rule.named} resource`;
  return [fieldInvalid(path, resource, message)];
}
