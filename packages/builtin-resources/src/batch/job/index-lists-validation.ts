import type { Job } from '@apiserver/api/batch/v1';
import { appendAll, type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { firstCommonIndex, parseIndexList, readableIntervals } from './index-list.js';
import type { StatusChanges } from './status-changes.js';

const COMPLETED = FieldPath.of('status', 'completedIndexes');
const FAILED = FieldPath.of('status', 'failedIndexes');

/**
 * Validates the index lists of a job's status, only if they change: lists stored under older rules stay valid.
 * Upstream: validateJobStatus of pkg/apis/batch/validation/validation.go
 */
export function validateIndexLists({ spec, status }: Job, changes: StatusChanges): FieldError[] {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes = '', failedIndexes } = status;
  const { completedIndexes: completedChanged, failedIndexes: failedChanged } = changes;
  const errors: FieldError[] = [];
  if (completedChanged && completions !== undefined) {
    appendAll(errors, validateList(completedIndexes, completions, COMPLETED, 'completedIndexes'));
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    appendAll(errors, validateList(failedIndexes, completions, FAILED, 'failedIndexes'));
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    const message = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(fieldInvalid(COMPLETED, completedIndexes, message));
  }
  if (failedChanged && failedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    const message = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(fieldInvalid(FAILED, failedIndexes, message));
  }
  if ((completedChanged || failedChanged) && completions !== undefined && failedIndexes !== undefined) {
    appendAll(errors, validateApart(completedIndexes, failedIndexes, completions));
  }
  return errors;
}

function validateList(list: string, completions: number, path: FieldPath, field: string): FieldError[] {
  const parsed = parseIndexList(list, completions);
  if (typeof parsed !== 'string') return [];
  return [fieldInvalid(path, list, `error parsing ${field}: ${parsed}`)];
}

/** No index may be both failed and completed. Invalid intervals are reported elsewhere. */
function validateApart(completed: string, failed: string, completions: number): FieldError[] {
  const index = firstCommonIndex(readableIntervals(completed, completions), readableIntervals(failed, completions));
  if (index === undefined) return [];
  return [fieldInvalid(FAILED, failed, `failedIndexes and completedIndexes overlap at index: ${index}`)];
}
