import type { CronJob } from '@apiserver/api/batch/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';
import { containerColumns } from '../../workload/pod-columns.js';

const NONE = '<none>';
const SPEC = 'io.k8s.api.batch.v1.CronJobSpec';
const STATUS = 'io.k8s.api.batch.v1.CronJobStatus';

/** Upstream: printCronJob of pkg/printers/internalversion/printers.go */
export const cronJobColumns: readonly Column<CronJob>[] = [
  nameColumn,
  describedColumn('Schedule', [SPEC, 'schedule'], ({ spec }) => spec.schedule),
  describedColumn('Timezone', [SPEC, 'timeZone'], ({ spec }) => spec.timeZone ?? NONE),
  describedColumn('Suspend', [SPEC, 'suspend'], ({ spec }) => suspendText(spec.suspend)),
  describedColumn('Active', [STATUS, 'active'], ({ status }) => (status.active ?? []).length, { type: 'integer' }),
  describedColumn('Last Schedule', [STATUS, 'lastScheduleTime'], ({ status }, now) =>
    status.lastScheduleTime === undefined ? NONE : now.since(Date.parse(status.lastScheduleTime)),
  ),
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec.jobTemplate.spec.template),
  describedColumn(
    'Selector',
    ['io.k8s.api.batch.v1.JobSpec', 'selector'],
    ({ spec }) => labelSelectorText(spec.jobTemplate.spec.selector),
    { priority: 1 },
  ),
];

function suspendText(suspend: boolean | undefined): string {
  if (suspend === undefined) return '<unset>';
  return suspend ? 'True' : 'False';
}
