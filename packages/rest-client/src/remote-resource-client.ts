import {
  collectionPath,
  type GroupVersionResource,
  type KubeObject,
  listOptionsQuery,
  objectPath,
} from '@apiserver/apimachinery';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { remoteList } from './remote-object.js';
import { openRemoteWatch } from './remote-watch.js';
import type { RestResponse, RestSender } from './rest-request.js';

/** The verbs that a program uses on kinds of another server. Objects are as they came; nobody else shares them. */
export type RemoteResourceClient<T extends KubeObject> = Pick<
  ResourceClient<T>,
  'create' | 'get' | 'list' | 'resource' | 'watch'
>;

/** The verbs on one resource of another server. Rejects with 500 for a name or a namespace that is no path segment. */
export function remoteResourceClient<T extends KubeObject>(
  client: RestSender,
  resource: GroupVersionResource,
): RemoteResourceClient<T> {
  // The kind at a path is what the caller says it is; nothing here can know better.
  const objectOf = ({ value }: RestResponse): T => value as T;
  return {
    resource,
    get: async (namespace, name) =>
      objectOf(await client.send({ method: 'GET', path: objectPath(resource, { namespace, name }), resource })),
    create: async (namespace, body) =>
      objectOf(await client.send({ method: 'POST', path: collectionPath(resource, namespace), body, resource })),
    list: async (namespace, options = {}) => {
      const request = {
        method: 'GET',
        path: collectionPath(resource, namespace),
        query: listOptionsQuery(options),
        resource,
      } as const;
      return remoteList<T>((await client.send(request)).value);
    },
    watch: async (namespace, options = {}) => {
      const query = listOptionsQuery({ ...options, watch: true });
      return openRemoteWatch<T>(client, { method: 'GET', path: collectionPath(resource, namespace), query, resource });
    },
  };
}
