import { setTimeout as sleep } from 'node:timers/promises';
import type { AdminClient } from '../harness/admin-client.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Seen } from './history.ts';

/** One kind of which objects are written and watched. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
}

const namespace = 'watched';

export const configMaps: Resource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: `/api/v1/namespaces/${namespace}/configmaps`,
};

export const widgets: Resource = {
  apiVersion: 'watch.example.com/v1',
  kind: 'Widget',
  path: `/apis/watch.example.com/v1/namespaces/${namespace}/widgets`,
};

const definition = customResourceDefinition('watch.example.com', 'Widget', {
  properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
});

/** Makes the namespace and the custom resource, and waits until both can be used. */
export async function installResources(client: AdminClient): Promise<void> {
  await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await client.request('POST', DEFINITIONS, definition);
  const end = Date.now() + 10_000;
  while ((await client.request('GET', widgets.path)).status !== 200) {
    if (Date.now() > end) throw new Error('the custom resource does not come');
    await sleep(20);
  }
}

/** As much of a response as the checks read by name. */
export interface ReceivedObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly colour?: string };
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export function seenOf(object: ReceivedObject): Seen {
  const { resourceVersion, ...metadata } = object.metadata;
  return {
    name: metadata.name,
    uid: metadata.uid,
    colour: metadata.labels?.colour ?? '',
    revision: Number(resourceVersion),
    content: JSON.stringify(sorted({ ...object, metadata })),
  };
}

/** The same value with its keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
