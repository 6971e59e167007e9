import { Event } from '@apiserver/api/events/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { fromCoreEvent, toCoreEvent } from './conversion.js';

/** The form of a core Event in `events.k8s.io/v1`. */
export const eventVersion: ResourceVersionDefinition<KubeObject> = {
  version: 'v1',
  schema: Event,
  toHub: toCoreEvent,
  fromHub: fromCoreEvent,
};
