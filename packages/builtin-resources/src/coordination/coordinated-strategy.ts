import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { isQualifiedName } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../validation/enum-field.js';

/** The strategy that kube-apiserver itself carries out. Upstream: coordination.OldestEmulationVersion */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';
const STRATEGIES = [OLDEST_EMULATION_VERSION];

/**
 * A predefined strategy, or a qualified name. `path` is that of the field.
 * Upstream: ValidateCoordinatedLeaseStrategy, which appends the field to the path again
 */
export function validateCoordinatedStrategy(strategy: string, path: FieldPath): FieldError[] {
  const shown = path.child('strategy');
  if (!strategy.includes('/')) return validateEnum(strategy, STRATEGIES, shown);
  return isQualifiedName(strategy).map((fault) => fieldInvalid(shown, printedAsJson(strategy), fault));
}
