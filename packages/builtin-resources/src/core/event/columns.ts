import type { Event, EventSource } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn, timeSince } from '@apiserver/resource-kit';

const EVENT = 'io.k8s.api.core.v1.Event';

function column(
  name: string,
  place: { readonly definition?: string; readonly field: string; readonly priority?: number },
  cell: Column<Event>['cell'],
): Column<Event> {
  const { definition = EVENT, field, priority = 0 } = place;
  return { name, type: 'string', format: '', description: '', describedBy: { definition, field }, priority, cell };
}

/** The name is the last column. Upstream: printEvent of pkg/printers/internalversion/printers.go */
export const eventColumns: readonly Column<Event>[] = [
  column('Last Seen', { field: 'lastTimestamp' }, lastSeen),
  column('Type', { field: 'type' }, ({ type }) => type ?? ''),
  column('Reason', { field: 'reason' }, ({ reason }) => reason ?? ''),
  // A bookmark of another group's events lacks these fields.
  column('Object', { field: 'involvedObject' }, ({ involvedObject: { kind = '', name } = {} }) =>
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
  ),
  column(
    'Subobject',
    { definition: 'io.k8s.api.core.v1.ObjectReference', field: 'fieldPath', priority: 1 },
    ({ involvedObject: { fieldPath } = {} }) => fieldPath ?? '',
  ),
  column('Source', { field: 'source', priority: 1 }, sourceText),
  column('Message', { field: 'message' }, ({ message }) => (message ?? '').trim()),
  column('First Seen', { field: 'firstTimestamp', priority: 1 }, firstSeen),
  // A number despite the column's type, as upstream.
  column('Count', { field: 'count', priority: 1 }, ({ count, series }) => (series ? (series.count ?? 0) : count || 1)),
  { ...nameColumn, priority: 1 },
];

function firstSeen({ firstTimestamp, eventTime }: Event, now: Date): string {
  return timeSince(firstTimestamp || eventTime, now);
}

function lastSeen(event: Event, now: Date): string {
  if (event.series !== undefined) return timeSince(event.series.lastObservedTime, now);
  return event.lastTimestamp ? timeSince(event.lastTimestamp, now) : firstSeen(event, now);
}

function sourceText(event: Event): string {
  const source: EventSource = event.source ?? {};
  const component = source.component || (event.reportingComponent ?? '');
  const instance = source.host || (event.reportingInstance ?? '');
  return instance === '' ? component : `${component}, ${instance}`;
}
