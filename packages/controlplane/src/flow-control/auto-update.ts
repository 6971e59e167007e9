import type { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { tryParseBool } from '@apiserver/apimachinery/text';
import { AUTO_UPDATE_ANNOTATION, EXEMPT } from '@apiserver/flowcontrol';

/** An object with a spec. */
export type SpecObject = KubeObject & { spec: unknown };

/** `mandatory` objects are always kept as they are. An administrator may change or delete `suggested` ones. */
export type Upkeep = 'mandatory' | 'suggested';

/** The annotation of an object. Undefined: it has none, or a malformed one. */
export function autoUpdateOf({ metadata }: KubeObject): boolean | undefined {
  return tryParseBool(metadata.annotations?.[AUTO_UPDATE_ANNOTATION] ?? '');
}

/** True if an object has the spec that it should have. */
export type SpecComparison<T extends SpecObject> = (current: T, wanted: T) => boolean;

export const hasEqualSpec: SpecComparison<SpecObject> = (current, wanted) => equalJson(current.spec, wanted.spec);

/**
 * An administrator may change the limits of the exempt level, though it is mandatory.
 * Upstream: plcSpecEqualish of pkg/registry/flowcontrol/ensurer/prioritylevelconfiguration.go
 */
export const hasEqualLevelSpec: SpecComparison<PriorityLevelConfiguration> = ({ spec }, wanted) => {
  const isExempt = wanted.metadata.name === EXEMPT && spec.exempt !== undefined;
  return equalJson(spec, isExempt ? { ...wanted.spec, exempt: spec.exempt } : wanted.spec);
};

/**
 * The object that should replace the current one; undefined if it may stay. Without the annotation, a spec that was
 * never changed is kept up to date.
 * Upstream: ReviseIfNeeded of pkg/registry/flowcontrol/ensurer/strategy.go
 */
export function revised<T extends SpecObject>(
  current: T,
  wanted: T,
  upkeep: Upkeep,
  isEqual: SpecComparison<T> = hasEqualSpec,
): T | undefined {
  const annotated = autoUpdateOf(current);
  const updates = upkeep === 'mandatory' || (annotated ?? current.metadata.generation === 1);
  const isChanged = updates && !isEqual(current, wanted);
  if (!isChanged && annotated === updates) return undefined;
  const annotations = { ...current.metadata.annotations, [AUTO_UPDATE_ANNOTATION]: String(updates) };
  return {
    ...current,
    metadata: { ...current.metadata, annotations },
    ...(isChanged && { spec: wanted.spec }),
  };
}
