import type { Job, JobCondition } from '@apiserver/api/batch/v1';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { jobColumns } from './columns.js';

const condition = (type: string, status = 'True'): JobCondition => ({ type, status });

function statusOf(conditions: JobCondition[], deletionTimestamp?: string): unknown {
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec: { template: { metadata: {}, spec: { containers: [] } } },
    status: { conditions },
  };
  return jobColumns.find(({ name }) => name === 'Status')?.cell(job, rowTime(0));
}

it.each<[string, JobCondition[]]>([
  ['Running', []],
  ['Running', [condition('Complete', 'False')]],
  ['Complete', [condition('Failed'), condition('Complete')]],
  ['Failed', [condition('Suspended'), condition('Failed')]],
  ['Suspended', [condition('FailureTarget'), condition('Suspended')]],
  ['FailureTarget', [condition('FailureTarget')]],
  ['SuccessCriteriaMet', [condition('SuccessCriteriaMet')]],
  // The first condition of a type counts.
  ['Running', [condition('Complete', 'Unknown'), condition('Complete')]],
])('shows %s', (status, conditions) => expect(statusOf(conditions)).toBe(status));

it('shows a deletion before a suspension', () =>
  expect(statusOf([condition('Suspended')], '2030-01-01T00:00:00Z')).toBe('Terminating'));
