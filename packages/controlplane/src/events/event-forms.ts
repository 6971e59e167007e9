import type { Event as CoreEvent, ObjectReference } from '@apiserver/api/core/v1';
import type { Event } from '@apiserver/api/events/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { formatMicroTime, formatTime } from '@apiserver/apimachinery/values';
import type { EventForm } from './event-recorder.js';

/** How often a continuing series is written. Upstream: refreshTime of k8s.io/client-go/tools/events */
const REFRESH_MILLISECONDS = 360_000;

/** Events of the core group, with a count. Upstream: k8s.io/client-go/tools/record */
export function coreEvents(component: string): EventForm<CoreEvent> {
  return {
    resource: { group: '', version: 'v1', resource: 'events' },
    make: (metadata, about, { reason, note }, now) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: referenceTo(about),
      reason,
      message: note,
      source: { component },
      firstTimestamp: formatTime(now),
      lastTimestamp: formatTime(now),
      count: 1,
      type: 'Warning',
      reportingComponent: component,
    }),
    again: (event, now) => ({
      event: { ...event, count: (event.count ?? 0) + 1, lastTimestamp: formatTime(now) },
      write: true,
    }),
  };
}

/** Events of events.k8s.io; the second one starts a series. Upstream: k8s.io/client-go/tools/events */
export function seriesEvents(controller: string, hostname: string): EventForm<Event> {
  return {
    resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
    make: (metadata, about, { reason, action, note }, now) => ({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      eventTime: formatMicroTime(now),
      reportingController: controller,
      reportingInstance: `${controller}-${hostname}`,
      action,
      reason,
      regarding: referenceTo(about),
      note,
      type: 'Warning',
      deprecatedSource: {},
    }),
    again(event, now) {
      const { series } = event;
      const count = (series?.count ?? 1) + 1;
      const due = series === undefined || now - Date.parse(series.lastObservedTime ?? '') >= REFRESH_MILLISECONDS;
      const lastObservedTime = due ? formatMicroTime(now) : (series.lastObservedTime ?? '');
      return { event: { ...event, series: { count, lastObservedTime } }, write: due };
    },
  };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid === undefined ? {} : { uid }),
    apiVersion,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
