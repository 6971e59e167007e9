import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';

/** Whether a resource is defined at run time: upstream serves those by rules of their own. */
export function isCustomResource({ versions }: AnyResourceDefinition): boolean {
  return versions.some(({ schema }) => schema.semantics === 'structural');
}
