import type { LabelSelector } from '@apiserver/api/meta/v1';
import { type FieldError, type FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateLabelName } from '@apiserver/apimachinery/validation';

/** A selector with keys of the incoming pod's labels. */
interface LabelKeys {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/**
 * The keys must be distinct label names.
 * Upstream: ValidateMatchLabelKeysAndMismatchLabelKeys of pkg/apis/core/validation/validation.go
 */
export function validateMatchLabelKeys(keys: LabelKeys, path: FieldPath): FieldError[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = keys;
  const errors = [
    ...validateKeys(matchLabelKeys, labelSelector, path.child('matchLabelKeys')),
    ...validateKeys(mismatchLabelKeys, labelSelector, path.child('mismatchLabelKeys')),
    ...validateNotInSelector(matchLabelKeys, labelSelector, path),
  ];
  const mismatched = new Set(mismatchLabelKeys);
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatched.has(key)) continue;
    const message = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(fieldInvalid(path.child('matchLabelKeys').index(i), key, message));
  }
  return errors;
}

/** The rule that applied before keys were merged into the selector. */
export function validateSpreadLabelKeysLoosely(keys: LabelKeys, path: FieldPath): FieldError[] {
  const { matchLabelKeys = [], labelSelector } = keys;
  if (matchLabelKeys.length === 0) return [];
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  const errors = labelSelector ? [] : [fieldForbidden(path, 'must not be specified when labelSelector is not set')];
  for (const [i, key] of matchLabelKeys.entries()) {
    errors.push(...validateLabelName(key, path.index(i)));
    if (!selected.has(key)) continue;
    errors.push(fieldInvalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
  }
  return errors;
}

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, path: FieldPath): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [fieldForbidden(path, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, i) => validateLabelName(key, path.index(i)));
}

/** The selector already has an expression for each key; a second one is the user's. */
function validateNotInSelector(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const lastIndexes = new Map(keys.map((key, i) => [key, i]));
  return (selector?.matchExpressions ?? []).flatMap(({ key }) => {
    const repeated = seen.has(key);
    seen.add(key);
    const i = lastIndexes.get(key);
    if (i === undefined || !repeated) return [];
    return [fieldInvalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector')];
  });
}
