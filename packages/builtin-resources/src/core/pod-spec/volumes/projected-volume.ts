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
import { validateDownwardAPIFile } from './downward-api.js';
import { validateKeyToPath } from './key-to-path.js';

/**
 * Validates a projected volume. Two sources that are off by default (clusterTrustBundle, podCertificate) are already
 * dropped.
 * Upstream: validateProjectedVolumeSource of pkg/apis/core/validation/validation.go
 */
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

interface Projecting {
  /** The path of the volume, which some faults of sources have. */
  readonly path: FieldPath;
  readonly rules: PodSpecRules;
  /** Paths of files so far. */
  readonly taken: Set<string>;
}

function validateProjection(source: VolumeProjection, index: number, projecting: Projecting): FieldError[] {
  const path = projecting.path.child('sources').index(index);
  const { downwardAPI, serviceAccountToken } = source;
  const errors: FieldError[] = [];
  for (const field of ['secret', 'configMap'] as const) {
    const keys = source[field];
    if (keys !== undefined) appendAll(errors, validateKeys(keys, path.child(field), projecting));
  }
  for (const file of downwardAPI?.items ?? []) {
    errors.push(...validateDownwardAPIFile(file, path.child('downwardAPI')));
    errors.push(...takePath(file.path, file.path, projecting));
  }
  if (serviceAccountToken !== undefined) {
    errors.push(...validateToken(serviceAccountToken, path.child('serviceAccountToken'), projecting));
  }
  const count = [source.secret, source.configMap, downwardAPI, serviceAccountToken].filter(Boolean).length;
  if (count > 1) errors.push(fieldForbidden(path, 'may not specify more than 1 volume type per source'));
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
      ...takePath(item.path, name, projecting),
    ]),
  ];
}

/** `shown` is the path in the message about two files with the same path. */
function takePath(file: string, shown: string, { path, taken }: Projecting): FieldError[] {
  if (!file) return [];
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
