import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { events } from './event/index.js';

/** The resources of events.k8s.io. */
export const eventsResources: readonly AnyResourceDefinition[] = [events];
