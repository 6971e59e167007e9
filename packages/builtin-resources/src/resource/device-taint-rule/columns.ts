import type { DeviceTaintRule } from '@apiserver/api/resource/v1alpha3';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn, timeSince } from '@apiserver/resource-kit';

const ofTaint = (field: string) => ['io.k8s.api.resource.v1.DeviceTaint', field] as const;

/** Upstream: printDeviceTaint of pkg/printers/internalversion/printers.go */
export const deviceTaintRuleColumns: readonly Column<DeviceTaintRule>[] = [
  nameColumn,
  describedColumn('Key', ofTaint('key'), ({ spec }) => spec.taint.key),
  describedColumn('Value', ofTaint('value'), ({ spec }) => spec.taint.value ?? ''),
  describedColumn('Effect', ofTaint('effect'), ({ spec }) => spec.taint.effect),
  describedColumn('TimeAdded', ofTaint('timeAdded'), ({ spec: { taint } }, now) =>
    taint.timeAdded === undefined ? '' : timeSince(taint.timeAdded, now),
  ),
  ageColumn,
];
