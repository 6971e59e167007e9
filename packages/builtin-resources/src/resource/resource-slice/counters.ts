import type { Counter } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateMap } from '../validation/bounded-collections.js';

const MAX_COUNTERS = 32;
const MAX_LABEL_LENGTH = 63;

/**
 * Validates the counters of a set, or those that a device consumes: at least one, with valid names; any amount.
 * Upstream: validateCounterSet, validateDeviceCounterConsumption of pkg/apis/resource/validation/validation.go
 */
export function validateCounters(counters: Readonly<Record<string, Counter>>, path: FieldPath): FieldError[] {
  if (Object.keys(counters).length === 0) return [fieldRequired(path, '')];
  const rules = {
    max: MAX_COUNTERS,
    maxKeyLength: MAX_LABEL_LENGTH,
    validateKey: validateDNS1123Label,
    validate: () => [],
  };
  return validateMap(counters, rules, path);
}
