import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceClient } from '@apiserver/apiserver-contracts';

/** The lists and watches of a resource, narrowed to the objects of a field selector; "" for all. */
export function selecting<T extends KubeObject>(
  client: ResourceClient<T>,
  fieldSelector: string,
): Pick<ResourceClient<T>, 'list' | 'watch' | 'streamsLists'> {
  if (fieldSelector === '') return client;
  return {
    streamsLists: client.streamsLists === true,
    list: (namespace, options) => client.list(namespace, { ...options, fieldSelector }),
    watch: (namespace, options) => client.watch(namespace, { ...options, fieldSelector }),
  };
}
