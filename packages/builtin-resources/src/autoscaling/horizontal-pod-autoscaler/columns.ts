import type { HorizontalPodAutoscaler } from '@apiserver/api/autoscaling/v2';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';
import { metricsText } from './metrics-text.js';

const SPEC = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec';

function column(
  name: string,
  type: 'string' | 'integer',
  describedBy: { readonly definition: string; readonly field: string },
  cell: Column<HorizontalPodAutoscaler>['cell'],
): Column<HorizontalPodAutoscaler> {
  return { name, type, format: '', description: '', describedBy, priority: 0, cell };
}

const ofSpec = (field: string) => ({ definition: SPEC, field });
const CURRENT = { definition: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus', field: 'currentReplicas' };

/** Upstream: printHorizontalPodAutoscaler of pkg/printers/internalversion/printers.go */
export const horizontalPodAutoscalerColumns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  column(
    'Reference',
    'string',
    ofSpec('scaleTargetRef'),
    ({
      spec: {
        scaleTargetRef: { kind, name },
      },
    }) => `${kind}/${name}`,
  ),
  column('Targets', 'string', ofSpec('metrics'), ({ spec, status }) =>
    metricsText(spec.metrics ?? [], status.currentMetrics ?? []),
  ),
  column('MinPods', 'string', ofSpec('minReplicas'), ({ spec }) => String(spec.minReplicas ?? '<unset>')),
  column('MaxPods', 'integer', ofSpec('maxReplicas'), ({ spec }) => spec.maxReplicas),
  column('Replicas', 'integer', CURRENT, ({ status }) => status.currentReplicas ?? 0),
  ageColumn,
];
