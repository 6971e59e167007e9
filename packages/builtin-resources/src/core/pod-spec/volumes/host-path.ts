import type { HostPathVolumeSource } from '@apiserver/api/core/v1';
import type { FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../../validation/enum-field.js';
import { validatePathNoBacksteps } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

const TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

/** Validates a path on the node. Upstream: validateHostPathVolumeSource of pkg/apis/core/validation/validation.go */
export function validateHostPath({ path: hostPath, type = '' }: HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (!hostPath) return validateRequired(hostPath, path.child('path'));
  return [...validatePathNoBacksteps(hostPath, path.child('path')), ...validateEnum(type, TYPES, path.child('type'))];
}
