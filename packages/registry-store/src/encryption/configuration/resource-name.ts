import type { GroupResource } from '@apiserver/apimachinery';

/** Replaces a resource or a group: all of them. */
export const ANY = '*';

/** `deployments.apps`, `secrets`; `*.` is all of the core group, `*.apps` all of apps, `*.*` everything. */
export function parseResourceName(name: string): GroupResource {
  const dot = name.indexOf('.');
  if (dot === -1) return { group: '', resource: name };
  return { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

/** The reverse of parseResourceName. */
export function formatResourceName({ group, resource }: GroupResource): string {
  if (group === '') return resource === ANY ? '*.' : resource;
  return `${resource}.${group}`;
}

/** True for `*.*`. */
export function isAnything({ group, resource }: GroupResource): boolean {
  return group === ANY && resource === ANY;
}
