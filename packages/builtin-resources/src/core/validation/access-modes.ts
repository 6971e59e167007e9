import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
/** In display order. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/**
 * Modes must be known, and ReadWriteOncePod must be the only one.
 * Upstream: ValidatePersistentVolumeSpec and its like for claims
 */
export function validateAccessModes(modes: readonly string[], path: FieldPath): FieldError[] {
  const errors = modes.flatMap((mode) => validateEnum(mode, ACCESS_MODES, path));
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** Formats modes for a cell: `RWO,ROX`. Upstream: GetAccessModesAsString of pkg/apis/core/v1/helper/helpers.go */
export function accessModesText(modes: readonly string[] = []): string {
  const present = Object.entries(SHORT_NAMES).filter(([mode]) => modes.includes(mode));
  return present.map(([, short]) => short).join(',');
}
