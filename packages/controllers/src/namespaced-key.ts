import type { KubeObject } from '@apiserver/apimachinery';

/** The key of an object in a queue: `namespace/name`. */
export function namespacedKey({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** The parts of such a key. */
export function objectOfKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
