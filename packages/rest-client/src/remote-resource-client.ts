import {
  type GroupVersionResource,
  groupVersionPath,
  type KubeObject,
  listOptionsQuery,
} from '@apiserver/apimachinery';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { remoteObject } from './remote-object.js';
import { openRemoteWatch } from './remote-watch.js';
import type { RestResponse, RestSender } from './rest-request.js';

/** The verbs that a program uses on kinds of another server. Objects are as they came; nobody else shares them. */
export type RemoteResourceClient<T extends KubeObject> = Pick<ResourceClient<T>, 'get' | 'list' | 'watch' | 'create'>;

/** The verbs on one resource of another server. */
export function remoteResourceClient<T extends KubeObject>(
  client: RestSender,
  resource: GroupVersionResource,
): RemoteResourceClient<T> {
  const pathOf = (namespace: string, name = '') => resourcePath(resource, namespace, name);
  // The kind at a path is what the caller says it is; nothing here can know better.
  const objectOf = ({ value }: RestResponse): T => value as T;
  return {
    get: async (namespace, name) =>
      objectOf(await client.send({ method: 'GET', path: pathOf(namespace, name), resource })),
    create: async (namespace, body) =>
      objectOf(await client.send({ method: 'POST', path: pathOf(namespace), body, resource })),
    list: async (namespace, options = {}) => {
      const request = { method: 'GET', path: pathOf(namespace), query: listOptionsQuery(options), resource } as const;
      const { items, metadata } = listOf<T>((await client.send(request)).value);
      return { items: items.map(remoteObject), resourceVersion: metadata?.resourceVersion ?? '' };
    },
    watch: (namespace, options = {}) => {
      const query = listOptionsQuery({ ...options, watch: true });
      return openRemoteWatch<T>(client, { method: 'GET', path: pathOf(namespace), query, resource });
    },
  };
}

function resourcePath({ group, version, resource }: GroupVersionResource, namespace: string, name: string): string {
  const root = groupVersionPath({ group, version });
  return `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}${name === '' ? '' : `/${name}`}`;
}

interface RemoteList<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string };
}

function listOf<T>(value: unknown): RemoteList<T> {
  const isList = typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
  if (!isList) throw new Error('the server did not answer with a list');
  return value as RemoteList<T>;
}
