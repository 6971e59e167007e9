import { appendAll } from '../field/append-all.js';
import { type FieldError, fieldForbidden, fieldInvalid } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { quote } from '../text/quote.js';
import { FINALIZER_DELETE_DEPENDENTS, FINALIZER_ORPHAN_DEPENDENTS } from '../types/object-meta.js';
import { isQualifiedName } from './label.js';

/** Checks one finalizer's name. Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go */
export function validateFinalizerName(name: string, path: FieldPath): FieldError[] {
  return isQualifiedName(name).map((fault) => fieldInvalid(path, name, fault));
}

/** Checks the names of finalizers, and that they do not combine orphaning and deleting the dependents. */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  if (finalizers === undefined) return [];
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    if (isQualifiedName(finalizer).length > 0) appendAll(errors, validateFinalizerName(finalizer, path));
  }
  const both = finalizers.includes(FINALIZER_ORPHAN_DEPENDENTS) && finalizers.includes(FINALIZER_DELETE_DEPENDENTS);
  if (!both) return errors;
  const detail = `finalizer ${FINALIZER_ORPHAN_DEPENDENTS} and ${FINALIZER_DELETE_DEPENDENTS} cannot be both set`;
  return [...errors, fieldInvalid(path, finalizers, detail)];
}

/** Checks that an object that is being deleted gets no new finalizers. */
export function validateNoNewFinalizers(
  newFinalizers: readonly string[],
  oldFinalizers: readonly string[],
  path: FieldPath,
): FieldError[] {
  const known = new Set(oldFinalizers);
  const extra = [...new Set(newFinalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (extra.length === 0) return [];
  const shown = `[]string{${extra.map(quote).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [fieldForbidden(path, detail)];
}
