import type { ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateFileMode } from '../../validation/file-mode.js';
import { validateLocalNonReservedPath } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';
import type { PodSpecRules } from '../pod-spec-rules.js';
import { validatePodCertificateProjection, validateTrustBundleProjection } from './certificate-projections.js';
import { validateDownwardAPIFile } from './downward-api.js';
import { validateKeyToPath } from './key-to-path.js';

/** Upstream: validateProjectedVolumeSource of pkg/apis/core/validation/validation.go */
export function validateProjectedVolume(
  volume: ProjectedVolumeSource,
  path: FieldPath,
  rules: PodSpecRules,
): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateFileMode(volume.defaultMode, path.child('defaultMode')),
    ...(volume.sources ?? []).flatMap((source, i) => validateProjection(source, i, { path, rules, taken })),
  ];
}

const SOURCES = [
  ...(['secret', 'configMap', 'downwardAPI'] as const),
  ...(['serviceAccountToken', 'clusterTrustBundle', 'podCertificate'] as const),
];

interface Projecting {
  /** The path of the volume, which some faults of sources have. */
  readonly path: FieldPath;
  readonly rules: PodSpecRules;
  /** Paths of files so far. */
  readonly taken: Set<string>;
}

function validateProjection(source: VolumeProjection, index: number, projecting: Projecting): FieldError[] {
  const path = projecting.path.child('sources').index(index);
  const { downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const errors: FieldError[] = [];
  for (const field of ['secret', 'configMap'] as const) {
    const keys = source[field];
    if (keys !== undefined) appendAll(errors, validateKeys(keys, path.child(field), projecting));
  }
  for (const file of downwardAPI?.items ?? []) {
    errors.push(...validateDownwardAPIFile(file, path.child('downwardAPI')));
    if (file.path) errors.push(...takePath(file.path, file.path, projecting));
  }
  if (serviceAccountToken !== undefined) {
    errors.push(...validateToken(serviceAccountToken, path.child('serviceAccountToken'), projecting));
  }
  const takeFile = (file: string) => takePath(file, file, projecting);
  if (clusterTrustBundle !== undefined) {
    appendAll(errors, validateTrustBundleProjection(clusterTrustBundle, path.child('clusterTrustBundle'), takeFile));
  }
  if (podCertificate !== undefined) {
    appendAll(errors, validatePodCertificateProjection(podCertificate, path.child('podCertificate'), takeFile));
  }
  if (SOURCES.filter((field) => source[field] !== undefined).length > 1) {
    errors.push(fieldForbidden(path, 'may not specify more than 1 volume type per source'));
  }
  return errors;
}

/** Validates the keys of a Secret or ConfigMap. */
function validateKeys(
  { name = '', items = [] }: NonNullable<VolumeProjection['secret']>,
  path: FieldPath,
  projecting: Projecting,
): FieldError[] {
  return [
    ...validateRequired(name, path.child('name')),
    ...items.flatMap((item, i) => [
      ...validateKeyToPath(item, path.child('items').index(i)),
      ...(item.path ? takePath(item.path, name, projecting) : []),
    ]),
  ];
}

/** `shown` is the path in the message about two files with the same path. */
function takePath(file: string, shown: string, { path, taken }: Projecting): FieldError[] {
  if (taken.has(file)) return [fieldInvalid(path, shown, 'conflicting duplicate paths')];
  taken.add(file);
  return [];
}

function validateToken(token: ServiceAccountTokenProjection, path: FieldPath, projecting: Projecting): FieldError[] {
  const seconds = Number(token.expirationSeconds ?? 0);
  const errors: FieldError[] = [];
  const secondsPath = path.child('expirationSeconds');
  if (seconds < 600) errors.push(fieldInvalid(secondsPath, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32) {
    errors.push(fieldInvalid(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  const filePath = projecting.path.child('path');
  if (!token.path) errors.push(fieldRequired(filePath, ''));
  else if (!projecting.rules.allowNonLocalTokenPath) errors.push(...validateLocalNonReservedPath(token.path, filePath));
  return errors;
}
