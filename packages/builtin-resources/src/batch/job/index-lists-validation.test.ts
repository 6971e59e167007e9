import type { Job } from '@apiserver/api/batch/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { validateIndexLists } from './index-lists-validation.js';
import { statusChanges } from './status-changes.js';

const job = (spec: object, status: object) => ({ metadata: {}, spec, status }) as Job;
const indexListErrors = (after: Job, before: Job) => validateIndexLists(after, statusChanges(after, before));
const indexed = { completions: 5, completionMode: 'Indexed', backoffLimitPerIndex: 1 };

describe('validateIndexLists', () => {
  it.each([
    [indexed, { completedIndexes: '0,2-3', failedIndexes: '1,4' }, ''],
    [indexed, { completedIndexes: '' }, ''],
    [
      indexed,
      { completedIndexes: '0,5' },
      'status.completedIndexes: Invalid value: "0,5": error parsing completedIndexes: too large index: "5"',
    ],
    [
      indexed,
      { completedIndexes: '2-1' },
      'status.completedIndexes: Invalid value: "2-1": error parsing completedIndexes: non-increasing order, previous: 2, current: 1',
    ],
    [
      indexed,
      { completedIndexes: '0-1-2' },
      'status.completedIndexes: Invalid value: "0-1-2": error parsing completedIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
    [
      indexed,
      { failedIndexes: 'x' },
      'status.failedIndexes: Invalid value: "x": error parsing failedIndexes: cannot convert string to integer for index: "x"',
    ],
    [
      indexed,
      { completedIndexes: '0-3', failedIndexes: '2-4' },
      'status.failedIndexes: Invalid value: "2-4": failedIndexes and completedIndexes overlap at index: 2',
    ],
    [
      { completions: 5 },
      { completedIndexes: '1' },
      'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
    ],
    [
      { ...indexed, backoffLimitPerIndex: undefined },
      { failedIndexes: '1' },
      'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ],
  ])('of %j finds in %j', (spec, status, fault) => {
    const errors = indexListErrors(job(spec, status), job(spec, {}));
    expect(errors.length === 0 ? '' : aggregateFieldErrors(errors)).toBe(fault);
  });

  it('tolerates stored values', () => {
    const stored = job({ completions: 5 }, { completedIndexes: '9', failedIndexes: 'x' });
    expect(indexListErrors(stored, stored)).toEqual([]);
  });
});
