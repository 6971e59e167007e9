import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { events } from './event/index.js';

/** Dependencies of Events on their server. */
export interface EventsGroupDependencies extends GroupDependencies {
  /** 0 for no expiry. Upstream flag: --event-ttl */
  readonly eventTtlSeconds: number;
}

/** The group events.k8s.io. */
export function eventsGroup({ install, eventTtlSeconds }: EventsGroupDependencies): APIGroupInfo {
  return builtinGroup('events.k8s.io', [install(events(eventTtlSeconds))]);
}
