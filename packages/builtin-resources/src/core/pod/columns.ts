import type { Pod } from '@apiserver/api/core/v1';
import type { Column, TableRowCondition } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';
import { summarizePod } from './status-text.js';

const NONE = '<none>';
const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';
const POD_STATUS = 'io.k8s.api.core.v1.PodStatus';

/** Upstream: podColumnDefinitions and printPod of pkg/printers/internalversion/printers.go */
export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  {
    name: 'Ready',
    type: 'string',
    format: '',
    description: 'The aggregate readiness state of this pod for accepting traffic.',
    priority: 0,
    cell: (pod, now) => summarizePod(pod, now).ready,
  },
  {
    name: 'Status',
    type: 'string',
    format: '',
    description: 'The aggregate status of the containers in this pod.',
    priority: 0,
    cell: (pod, now) => summarizePod(pod, now).status,
  },
  {
    name: 'Restarts',
    type: 'string',
    format: '',
    description:
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    priority: 0,
    cell: (pod, now) => summarizePod(pod, now).restarts,
  },
  ageColumn,
  described('IP', POD_STATUS, 'podIP', ({ status }) => status.podIPs?.[0]?.ip),
  described('Node', POD_SPEC, 'nodeName', ({ spec }) => spec.nodeName),
  described('Nominated Node', POD_STATUS, 'nominatedNodeName', ({ status }) => status.nominatedNodeName),
  described('Readiness Gates', POD_SPEC, 'readinessGates', readinessGates),
];

/** A column of wide output. */
function described(
  name: string,
  definition: string,
  field: string,
  text: (pod: Pod) => string | undefined,
): Column<Pod> {
  return {
    name,
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition, field },
    priority: 1,
    cell: (pod) => text(pod) || NONE,
  };
}

function readinessGates({ spec, status }: Pod): string | undefined {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return undefined;
  // The first condition of a type counts, as upstream.
  const isTrue = (wanted: string) => status.conditions?.find(({ type }) => type === wanted)?.status === 'True';
  return `${gates.filter(({ conditionType }) => isTrue(conditionType)).length}/${gates.length}`;
}

/** Marks the row of a terminated pod. Upstream: printPod */
export function podRowConditions({ status }: Pod): readonly TableRowCondition[] {
  const message = ENDED.get(status?.phase ?? '');
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason: status.phase ?? '', message }];
}

const ENDED: ReadonlyMap<string, string> = new Map([
  ['Succeeded', 'The pod has completed successfully.'],
  ['Failed', 'The pod failed.'],
]);
