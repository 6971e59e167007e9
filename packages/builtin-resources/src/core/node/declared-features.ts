import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';

const DECLARED_FEATURES = FieldPath.of('status', 'declaredFeatures');

/** Maximum length of a name in bytes. */
const MAX_BYTES = 253;

const NAME = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/**
 * Validates the features that a node declares: their names, and their order.
 *
 * Upstream: validateNodeDeclaredFeatures of pkg/apis/core/validation/validation.go
 */
export function validateDeclaredFeatures(features: readonly string[]): FieldError[] {
  return features.flatMap((name, i) => [...nameFaults(name, i), ...orderFaults(name, features[i + 1], i + 1)]);
}

function nameFaults(name: string, index: number): FieldError[] {
  const rule = brokenRule(name);
  if (rule === undefined) return [];
  return [fieldInvalid(DECLARED_FEATURES.index(index), name, `invalid feature name ${quote(name)}: ${rule}`)];
}

function brokenRule(name: string): string | undefined {
  if (Buffer.byteLength(name) > MAX_BYTES) return `must be no more than ${MAX_BYTES} characters`;
  if (NAME.test(name)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function orderFaults(name: string, next: string | undefined, index: number): FieldError[] {
  if (next === undefined) return [];
  if (name === next) return [fieldDuplicate(DECLARED_FEATURES.index(index), next)];
  if (Buffer.compare(Buffer.from(name), Buffer.from(next)) < 0) return [];
  return [fieldInvalid(DECLARED_FEATURES.index(index), next, 'list must be sorted alphabetically')];
}
