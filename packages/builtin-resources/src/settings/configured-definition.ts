import type { KubeObject } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { statefulSetDefinition } from '../apps/stateful-set/definition.js';
import { statefulSets } from '../apps/stateful-set/index.js';
import { events } from '../core/event/index.js';
import { withPrivilegedAllowed } from './with-privileged-allowed.js';

/** What an operator decides about the built-in resources. Their definitions are made for the defaults named here. */
export interface ResourceSettings {
  /** Default: those of 1.36. */
  readonly featureGates: FeatureGates;
  /** Whether containers may be privileged; default false. Upstream flag: --allow-privileged */
  readonly allowPrivileged: boolean;
  /** How long events are kept; default an hour, 0 for ever. Upstream flag: --event-ttl */
  readonly eventTtlSeconds: number;
}

/** The definition as the settings want it; the very same one where they change nothing. */
export function configuredDefinition(
  definition: AnyResourceDefinition,
  { featureGates, allowPrivileged, eventTtlSeconds }: ResourceSettings,
): AnyResourceDefinition {
  if (definition === statefulSets && featureGates.enabled('MaxUnavailableStatefulSet')) {
    return privileged(statefulSetDefinition({ maxUnavailable: true }), allowPrivileged);
  }
  if (isEvents(definition)) return keptFor(definition, eventTtlSeconds);
  const { storedAs } = definition;
  if (storedAs !== undefined && isEvents(storedAs)) {
    return { ...definition, storedAs: keptFor(storedAs, eventTtlSeconds) };
  }
  return privileged(definition, allowPrivileged);
}

function privileged(definition: AnyResourceDefinition, isAllowed: boolean): AnyResourceDefinition {
  return isAllowed ? withPrivilegedAllowed(definition) : definition;
}

function isEvents({ group, resource }: AnyResourceDefinition): boolean {
  return group === events.group && resource === events.resource;
}

function keptFor<T extends KubeObject>(definition: ResourceDefinition<T>, seconds: number): ResourceDefinition<T> {
  return { ...definition, storeHooks: { ...definition.storeHooks, ttl: () => seconds } };
}
