import type { PriorityLevelConfiguration, QueuingConfiguration } from '@apiserver/api/flowcontrol/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const GROUP = 'io.k8s.api.flowcontrol.v1';

/** Numbers despite the columns' type, as upstream. Upstream: printPriorityLevelConfiguration */
export const priorityLevelColumns: readonly Column<PriorityLevelConfiguration>[] = [
  nameColumn,
  describedColumn('Type', [`${GROUP}.PriorityLevelConfigurationSpec`, 'type'], ({ spec }) => spec.type),
  describedColumn(
    'NominalConcurrencyShares',
    [`${GROUP}.LimitedPriorityLevelConfiguration`, 'nominalConcurrencyShares'],
    ({ spec: { limited } }) => limited?.nominalConcurrencyShares ?? '<none>',
  ),
  queuingColumn('Queues', 'queues'),
  queuingColumn('HandSize', 'handSize'),
  queuingColumn('QueueLengthLimit', 'queueLengthLimit'),
  ageColumn,
];

function queuingColumn(name: string, field: keyof QueuingConfiguration): Column<PriorityLevelConfiguration> {
  return describedColumn(
    name,
    [`${GROUP}.QueuingConfiguration`, field],
    ({ spec }) => spec.limited?.limitResponse.queuing?.[field] ?? '<none>',
  );
}
