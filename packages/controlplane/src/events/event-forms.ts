import type { Event as CoreEvent, ObjectReference } from '@apiserver/api/core/v1';
import type { Event } from '@apiserver/api/events/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { formatMicroTime, formatTime } from '@apiserver/apimachinery/values';
import type { EventForm } from './event-recorder.js';

/** A series whose last event is older has ended. Upstream: finishTime of k8s.io/client-go/tools/events */
const FINISH_MS = 6 * 60_000;
/** Interval at which the counts of series are written. Upstream: refreshTime of k8s.io/client-go/tools/events */
const REFRESH_MS = 30 * 60_000;

/**
 * Events of the core group, with a count. Of events about one object 25 are written, then one in five minutes.
 * Upstream: k8s.io/client-go/tools/record
 */
export function coreEvents(component: string): EventForm<CoreEvent> {
  return {
    resource: { group: '', version: 'v1', resource: 'events' },
    key: (about, { reason, note }) => JSON.stringify([identityOf(about), reason, note]),
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
    limit: { keyOf: (about) => JSON.stringify(identityOf(about)), burst: 25, perSecond: 1 / 300 },
    upkeep: [],
  };
}

/**
 * Events of events.k8s.io. The second one starts a series, whose further events are counted in memory. The count is
 * written every half an hour, and when the series has ended.
 * Upstream: k8s.io/client-go/tools/events
 */
export function seriesEvents(controller: string, hostname: string): EventForm<Event> {
  return {
    resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
    key: (about, { reason, action }) => JSON.stringify([referenceTo(about), reason, action]),
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
    again: (event, now) => ({
      event: { ...event, series: { count: (event.series?.count ?? 1) + 1, lastObservedTime: formatMicroTime(now) } },
      write: event.series === undefined,
    }),
    limit: undefined,
    upkeep: [
      { every: REFRESH_MS, decide: ({ series }) => (series === undefined ? 'keep' : 'write') },
      {
        every: FINISH_MS,
        decide({ series, eventTime }, now) {
          if (now - Date.parse(series?.lastObservedTime ?? eventTime ?? '') <= FINISH_MS) return 'keep';
          return series === undefined ? 'forget' : 'finish';
        },
      },
    ],
  };
}

/** Names an object, without its version. */
function identityOf({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid];
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
