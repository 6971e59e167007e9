import type { KubeObject } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { AUTO_UPDATE_ANNOTATION } from '@apiserver/flowcontrol';

/** An object with a spec. */
export type SpecObject = KubeObject & { spec: unknown };

/** `mandatory` objects are always kept as they are. An administrator may change or delete `suggested` ones. */
export type Upkeep = 'mandatory' | 'suggested';

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** The annotation of an object. Undefined: it has none, or a malformed one. Upstream: strconv.ParseBool */
export function autoUpdateOf({ metadata }: KubeObject): boolean | undefined {
  const value = metadata.annotations?.[AUTO_UPDATE_ANNOTATION] ?? '';
  if (TRUE.has(value)) return true;
  return FALSE.has(value) ? false : undefined;
}

/**
 * The object that should replace the current one; undefined if it may stay. Without the annotation, a spec that was never
 * changed is kept up to date.
 * Upstream: ReviseIfNeeded of pkg/registry/flowcontrol/ensurer/strategy.go
 */
export function revised<T extends SpecObject>(current: T, wanted: T, upkeep: Upkeep): T | undefined {
  const annotated = autoUpdateOf(current);
  const updates = upkeep === 'mandatory' || (annotated ?? current.metadata.generation === 1);
  const isChanged = updates && !equalJson(current.spec, wanted.spec);
  if (!isChanged && annotated === updates) return undefined;
  const annotations = { ...current.metadata.annotations, [AUTO_UPDATE_ANNOTATION]: String(updates) };
  return {
    ...current,
    metadata: { ...current.metadata, annotations },
    ...(isChanged && { spec: wanted.spec }),
  };
}
