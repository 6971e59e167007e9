import type * as core from '@apiserver/api/core/v1';
import type * as events from '@apiserver/api/events/v1';

/** Converts to a core Event. Upstream: pkg/apis/events/v1/conversion.go */
export function toCoreEvent(event: events.Event): core.Event {
  const { regarding, note, series, reportingController, deprecatedSource, ...rest } = event;
  const { deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...same } = rest;
  return {
    ...same,
    apiVersion: 'v1',
    ...(series === undefined ? undefined : { series: coreSeriesOf(series) }),
    involvedObject: regarding,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    ...(note === undefined ? undefined : { message: note }),
    ...(deprecatedCount === undefined ? undefined : { count: deprecatedCount }),
    reportingComponent: reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}

/** Converts from a core Event. */
export function fromCoreEvent(event: core.Event): events.Event {
  const { involvedObject, message, reportingComponent, source, ...rest } = event;
  const { firstTimestamp, lastTimestamp, count, series, eventTime, reportingInstance, ...same } = rest;
  return {
    ...same,
    apiVersion: 'events.k8s.io/v1',
    eventTime: eventTime ?? null,
    regarding: involvedObject,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    ...(series === undefined ? undefined : { series: seriesOf(series) }),
    ...(message === undefined ? undefined : { note: message }),
    ...(count === undefined ? undefined : { deprecatedCount: count }),
    ...(reportingComponent ? { reportingController: reportingComponent } : undefined),
    ...(reportingInstance ? { reportingInstance } : undefined),
  };
}

/** A count of none is absent in the core type. */
function coreSeriesOf({ count, ...series }: events.EventSeries): core.EventSeries {
  return count === 0 ? series : { count, ...series };
}

/** Optional fields of the core type are always set here. */
function seriesOf({ count, lastObservedTime }: core.EventSeries): events.EventSeries {
  return { count: count ?? 0, lastObservedTime: lastObservedTime ?? null };
}
