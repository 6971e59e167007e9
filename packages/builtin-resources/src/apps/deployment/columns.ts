import type { Deployment } from '@apiserver/api/apps/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, labelSelectorText, nameColumn } from '@apiserver/resource-kit';
import { containerColumns } from '../../workload/pod-columns.js';

const SPEC = 'io.k8s.api.apps.v1.DeploymentSpec';
const STATUS = 'io.k8s.api.apps.v1.DeploymentStatus';

/** Upstream: printDeployment of pkg/printers/internalversion/printers.go */
export const deploymentColumns: readonly Column<Deployment>[] = [
  nameColumn,
  column(
    'Ready',
    'Number of the pod with ready state',
    ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  ),
  // Numbers despite the columns' type, as upstream.
  describedColumn('Up-to-date', [STATUS, 'updatedReplicas'], ({ status }) => status.updatedReplicas ?? 0),
  describedColumn('Available', [STATUS, 'availableReplicas'], ({ status }) => status.availableReplicas ?? 0),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec.template),
  describedColumn('Selector', [SPEC, 'selector'], ({ spec }) => labelSelectorText(spec.selector ?? undefined, ''), {
    priority: 1,
  }),
];
