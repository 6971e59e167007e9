import type { Job } from '@apiserver/api/batch/v1';
import { humanDuration } from '@apiserver/apimachinery/values';
import type { Column, RowTime } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';
import { containerColumns } from '../../workload/pod-columns.js';

/** Upstream: printJob of pkg/printers/internalversion/printers.go */
export const jobColumns: readonly Column<Job>[] = [
  nameColumn,
  column('Status', 'Status of the job.', statusText),
  describedColumn('Completions', ['io.k8s.api.batch.v1.JobStatus', 'succeeded'], completionsText),
  column('Duration', 'Time required to complete the job.', durationText),
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec.template),
  describedColumn(
    'Selector',
    ['io.k8s.api.batch.v1.JobSpec', 'selector'],
    ({ spec }) => labelSelectorText(spec.selector),
    {
      priority: 1,
    },
  ),
];

/** The first condition of a type counts. Upstream: hasJobCondition of printers.go */
function isTrue({ status }: Job, wanted: string): boolean {
  return status.conditions?.find(({ type }) => type === wanted)?.status === 'True';
}

function statusText(job: Job): string {
  if (isTrue(job, 'Complete')) return 'Complete';
  if (isTrue(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp) return 'Terminating';
  if (isTrue(job, 'Suspended')) return 'Suspended';
  if (isTrue(job, 'FailureTarget')) return 'FailureTarget';
  return isTrue(job, 'SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status: { startTime, completionTime } }: Job, now: RowTime): string {
  if (startTime === undefined) return '';
  const start = Date.parse(startTime);
  return completionTime === undefined ? now.since(start) : humanDuration(Date.parse(completionTime) - start);
}
