import type { FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateFileMode } from '../../validation/file-mode.js';
import { validateLocalNonReservedPath } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

/** Validates the file of one key. Upstream: validateKeyToPath of pkg/apis/core/validation/validation.go */
export function validateKeyToPath(
  item: { readonly key: string; readonly path: string; readonly mode?: number },
  path: FieldPath,
): FieldError[] {
  return [
    ...validateRequired(item.key, path.child('key')),
    ...validateRequired(item.path, path.child('path')),
    ...validateLocalNonReservedPath(item.path, path.child('path')),
    ...validateFileMode(item.mode, path.child('mode')),
  ];
}
