import type { KubeObject } from '@apiserver/apimachinery';

/**
 * Of the objects that one of the annotations marks as default the newest one; of several that are as new the first by
 * name. Undefined when none is marked.
 */
export function newestDefault<T extends KubeObject>(
  objects: readonly T[],
  annotations: readonly string[],
): T | undefined {
  const marked = objects.filter(({ metadata }) => annotations.some((key) => metadata.annotations?.[key] === 'true'));
  return marked.sort(newestFirst)[0];
}

function newestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [aTime, bTime] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (aTime !== bTime) return aTime > bTime ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
