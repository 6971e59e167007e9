import type { Event, EventSource } from '@apiserver/api/core/v1';
import { lowerCase, trimSpace } from '@apiserver/apimachinery/text';
import type { Column, RowTime } from '@apiserver/apiserver-contracts';
import { describedColumn, nameColumn, timeSince } from '@apiserver/resource-kit';

const EVENT = 'io.k8s.api.core.v1.Event';
/** Shown in wide output only. */
const WIDE = { priority: 1 };

/** The name is the last column. Upstream: printEvent of pkg/printers/internalversion/printers.go */
export const eventColumns: readonly Column<Event>[] = [
  describedColumn('Last Seen', [EVENT, 'lastTimestamp'], lastSeen),
  describedColumn('Type', [EVENT, 'type'], ({ type }) => type ?? ''),
  describedColumn('Reason', [EVENT, 'reason'], ({ reason }) => reason ?? ''),
  // A bookmark of another group's events lacks these fields.
  describedColumn('Object', [EVENT, 'involvedObject'], ({ involvedObject: { kind = '', name } = {} }) =>
    name ? `${lowerCase(kind)}/${name}` : lowerCase(kind),
  ),
  describedColumn(
    'Subobject',
    ['io.k8s.api.core.v1.ObjectReference', 'fieldPath'],
    ({ involvedObject: { fieldPath } = {} }) => fieldPath ?? '',
    WIDE,
  ),
  describedColumn('Source', [EVENT, 'source'], sourceText, WIDE),
  describedColumn('Message', [EVENT, 'message'], ({ message }) => trimSpace(message ?? '')),
  describedColumn('First Seen', [EVENT, 'firstTimestamp'], firstSeen, WIDE),
  // A number despite the column's type, as upstream.
  describedColumn('Count', [EVENT, 'count'], ({ count, series }) => (series ? (series.count ?? 0) : count || 1), WIDE),
  { ...nameColumn, priority: 1 },
];

function firstSeen({ firstTimestamp, eventTime }: Event, now: RowTime): string {
  return timeSince(firstTimestamp || eventTime, now);
}

function lastSeen(event: Event, now: RowTime): string {
  if (event.series !== undefined) return timeSince(event.series.lastObservedTime, now);
  return event.lastTimestamp ? timeSince(event.lastTimestamp, now) : firstSeen(event, now);
}

function sourceText(event: Event): string {
  const source: EventSource = event.source ?? {};
  const component = source.component || (event.reportingComponent ?? '');
  const instance = source.host || (event.reportingInstance ?? '');
  return instance === '' ? component : `${component}, ${instance}`;
}
