import type { KubeObject } from '@apiserver/apimachinery';

/**
 * The newest object that one of the annotations marks as default; the first by name if several are equally new.
 * Undefined if none is marked.
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
