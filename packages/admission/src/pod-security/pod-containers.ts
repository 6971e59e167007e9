import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { named } from './violation.js';

/** The part of a pod, or of a pod template, that the checks look at. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

/** Fields that checks read of every container, whatever its type. */
export type CheckedContainer = Pick<
  Container,
  'name' | 'ports' | 'securityContext' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'
>;

/** All containers: init containers, containers, ephemeral containers. */
export function containersOf({ spec }: CheckedPod): readonly CheckedContainer[] {
  const { initContainers, containers, ephemeralContainers } = spec;
  if (initContainers === undefined && ephemeralContainers === undefined) return containers ?? [];
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** The names of the containers for which `matches` is true. */
export function namesWhere(pod: CheckedPod, matches: (container: CheckedContainer) => boolean): readonly string[] {
  let names: string[] | undefined;
  for (const container of containersOf(pod)) {
    if (!matches(container)) continue;
    names ??= [];
    names.push(container.name);
  }
  return names ?? NONE;
}

const NONE: readonly string[] = [];

/** `pod and containers "a", "b"`: where a bad value is set. Empty if nowhere. */
export function settersOf(isOnPod: boolean, containers: readonly string[]): readonly string[] {
  if (containers.length === 0) return isOnPod ? ['pod'] : NONE;
  const found = named('container', containers);
  return isOnPod ? ['pod', found] : [found];
}
