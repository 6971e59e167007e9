import type { HorizontalPodAutoscaler } from '@apiserver/api/autoscaling/v2';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';
import { metricsText } from './metrics-text.js';

const SPEC = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec';

const ofSpec = (field: string) => [SPEC, field] as const;
const CURRENT = ['io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus', 'currentReplicas'] as const;
const INTEGER = { type: 'integer' };

/** Upstream: printHorizontalPodAutoscaler of pkg/printers/internalversion/printers.go */
export const horizontalPodAutoscalerColumns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  describedColumn(
    'Reference',
    ofSpec('scaleTargetRef'),
    ({
      spec: {
        scaleTargetRef: { kind, name },
      },
    }) => `${kind}/${name}`,
  ),
  describedColumn('Targets', ofSpec('metrics'), ({ spec, status }) =>
    metricsText(spec.metrics ?? [], status.currentMetrics ?? []),
  ),
  describedColumn('MinPods', ofSpec('minReplicas'), ({ spec }) => String(spec.minReplicas ?? '<unset>')),
  describedColumn('MaxPods', ofSpec('maxReplicas'), ({ spec }) => spec.maxReplicas, INTEGER),
  describedColumn('Replicas', CURRENT, ({ status }) => status.currentReplicas ?? 0, INTEGER),
  ageColumn,
];
