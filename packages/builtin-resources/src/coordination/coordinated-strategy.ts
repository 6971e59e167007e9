import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldNotSupported,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isQualifiedName } from '@apiserver/apimachinery/validation';

/** The strategy that kube-apiserver itself carries out. Upstream: coordination.OldestEmulationVersion */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';
const STRATEGIES = [OLDEST_EMULATION_VERSION];

/**
 * A predefined strategy, or a qualified name. `path` is that of the field.
 * Upstream: ValidateCoordinatedLeaseStrategy, which appends the field to the path again
 */
export function validateCoordinatedStrategy(strategy: string, path: FieldPath): FieldError[] {
  const shown = path.child('strategy');
  if (strategy.includes('/')) return isQualifiedName(strategy).map((fault) => fieldInvalid(shown, strategy, fault));
  return STRATEGIES.includes(strategy) ? [] : [fieldNotSupported(shown, printedAsJson(strategy), STRATEGIES)];
}
