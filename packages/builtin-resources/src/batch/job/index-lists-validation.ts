import type { Job } from '@apiserver/api/batch/v1';
import { appendAll, type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery';
import { firstCommonIndex, parseIndexList } from './index-list.js';

const COMPLETED = FieldPath.of('status', 'completedIndexes');
const FAILED = FieldPath.of('status', 'failedIndexes');

/**
 * The lists of what an indexed job has come to. Only what changes is looked at: a list that was stored under laxer rules
 * can stay.
 * Upstream: validateJobStatus of pkg/apis/batch/validation/validation.go
 */
export function validateIndexLists({ spec, status }: Job, { status: old }: Job): FieldError[] {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes = '', failedIndexes } = status;
  const completedChanged = completedIndexes !== (old.completedIndexes ?? '');
  const failedChanged = failedIndexes !== old.failedIndexes;
  const errors: FieldError[] = [];
  if (completedChanged && completions !== undefined) {
    appendAll(errors, validateList(completedIndexes, completions, COMPLETED, 'completed'));
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    appendAll(errors, validateList(failedIndexes, completions, FAILED, 'failed'));
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

function validateList(list: string, completions: number, path: FieldPath, what: string): FieldError[] {
  const parsed = parseIndexList(list, completions);
  if (typeof parsed !== 'string') return [];
  return [fieldInvalid(path, list, `error parsing ${what} indexes: ${parsed}`)];
}

/** No index has both failed and been completed. What cannot be read is told of elsewhere. */
function validateApart(completed: string, failed: string, completions: number): FieldError[] {
  const [done, lost] = [parseIndexList(completed, completions), parseIndexList(failed, completions)];
  if (typeof done === 'string' || typeof lost === 'string') return [];
  const index = firstCommonIndex(done, lost);
  if (index === undefined) return [];
  return [fieldInvalid(FAILED, failed, `failedIndexes and completedIndexes overlap at index: ${index}`)];
}
