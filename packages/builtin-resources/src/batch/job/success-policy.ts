import type { JobSpec, SuccessPolicy, SuccessPolicyRule } from '@apiserver/api/batch/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { byteLength, validateNonnegative } from '@apiserver/apimachinery/validation';
import { countIndexes, parseIndexList } from './index-list.js';

const MAX_RULES = 20;
const MAX_INDEXES_LENGTH = 64 * 1024;

/** Formatted as upstream does: its internal type has no JSON names. */
export function printedSuccessPolicy({ rules }: SuccessPolicy): object {
  const printed = rules?.map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: printed ?? null };
}

/** Upstream: validateSuccessPolicy of pkg/apis/batch/validation/validation.go */
export function validateSuccessPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    const message = 'at least one rules must be specified when the successPolicy is specified';
    errors.push(fieldRequired(rulesPath, message));
  }
  if (rules.length > MAX_RULES) errors.push(fieldTooMany(rulesPath, rules.length, MAX_RULES));
  return [...errors, ...rules.flatMap((rule, i) => validateRule(rule, spec.completions ?? 0, rulesPath.index(i)))];
}

function validateRule(rule: SuccessPolicyRule, completions: number, path: FieldPath): FieldError[] {
  const { succeededCount, succeededIndexes } = rule;
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(fieldRequired(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  const indexesPath = path.child('succeededIndexes');
  let total = 0;
  if (succeededIndexes !== undefined) {
    if (byteLength(succeededIndexes) > MAX_INDEXES_LENGTH) errors.push(fieldTooLong(indexesPath, MAX_INDEXES_LENGTH));
    const parsed = parseIndexList(succeededIndexes, completions);
    if (typeof parsed !== 'string') total = countIndexes(parsed);
    else errors.push(fieldInvalid(indexesPath, succeededIndexes, `error parsing succeededIndexes: ${parsed}`));
  }
  if (succeededCount === undefined) return errors;
  const countPath = path.child('succeededCount');
  errors.push(...validateNonnegative(succeededCount, countPath));
  if (succeededCount > completions) {
    const message = `must be less than or equal to ${completions} (the number of specified completions)`;
    errors.push(fieldInvalid(countPath, succeededCount, message));
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const message = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(fieldInvalid(countPath, succeededCount, message));
  }
  return errors;
}
