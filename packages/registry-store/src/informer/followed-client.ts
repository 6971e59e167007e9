import type { KubeObject, ListOptions } from '@apiserver/apimachinery';
import type { ResourceClient } from '@apiserver/apiserver-contracts';

/** The part of a client that an informer uses. */
export type FollowedClient<T extends KubeObject> = Pick<
  ResourceClient<T>,
  'list' | 'resource' | 'streamsLists' | 'watch'
>;

/** A client that lists and watches only the objects of these selectors. */
export function selectingClient<T extends KubeObject>(
  client: FollowedClient<T>,
  selectors: Pick<ListOptions, 'fieldSelector' | 'labelSelector'>,
): FollowedClient<T> {
  return {
    resource: client.resource,
    streamsLists: client.streamsLists === true,
    list: (namespace, options) => client.list(namespace, { ...options, ...selectors }),
    watch: (namespace, options) => client.watch(namespace, { ...options, ...selectors }),
  };
}
