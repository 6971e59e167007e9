import type { Toleration } from '@apiserver/api/core/v1';
import { equalJson } from '@apiserver/apimachinery/json';

/**
 * Merges two lists of tolerations and drops those that another one covers.
 * Upstream: MergeTolerations of pkg/util/tolerations/tolerations.go
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered = merged.some((kept) => covers(kept, toleration));
    // The first of several equal ones stays.
    const isCoveredLater = all.slice(i + 1).some((later) => !equalJson(later, toleration) && covers(later, toleration));
    if (!isCovered && !isCoveredLater) merged.push(toleration);
  }
  return merged;
}

/** Reports whether an allowed toleration covers each toleration. Upstream: VerifyAgainstWhitelist */
export function areTolerationsAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  return tolerations.every((toleration) => allowed.some((wide) => covers(wide, toleration)));
}

/** Reports whether `wide` tolerates everything that `narrow` does. Upstream: isSuperset */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (equalJson(wide, narrow)) return true;
  if ((wide.key ?? '') !== (narrow.key ?? '') && (wide.key || wide.operator !== 'Exists')) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  if (wide.operator && wide.operator !== 'Equal') return false;
  return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}
