import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn } from '@apiserver/resource-kit';

const SPEC = 'io.k8s.api.flowcontrol.v1.FlowSchemaSpec';

/** Upstream: printFlowSchema of pkg/printers/internalversion/printers.go */
export const flowSchemaColumns: readonly Column<FlowSchema>[] = [
  nameColumn,
  describedColumn(
    'PriorityLevel',
    ['io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference', 'name'],
    ({ spec }) => spec.priorityLevelConfiguration.name,
  ),
  // A number despite the column's type, as upstream.
  describedColumn('MatchingPrecedence', [SPEC, 'matchingPrecedence'], ({ spec }) => spec.matchingPrecedence ?? 0),
  describedColumn(
    'DistinguisherMethod',
    [SPEC, 'distinguisherMethod'],
    ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
  ),
  ageColumn,
  column(
    'MissingPL',
    'references a broken or non-existent PriorityLevelConfiguration',
    ({ status }) => status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ),
];
