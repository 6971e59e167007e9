import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';

/**
 * A client for parts that are made before the server they will talk to: admission plugins stand in the server's config.
 * Using it before `bind` is a bug and throws.
 */
export interface DeferredLoopbackClient extends LoopbackClient {
  /** Called once, when the server is there. */
  bind(client: LoopbackClient): void;
}

export function deferredLoopbackClient(): DeferredLoopbackClient {
  let bound: LoopbackClient | undefined;
  return {
    bind: (client) => {
      bound = client;
    },
    resource: <T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T> => {
      let client: ResourceClient<T> | undefined;
      const late = () => {
        if (bound === undefined) throw new Error('the server does not exist yet');
        client ??= bound.resource<T>(resource);
        return client;
      };
      return {
        get: (...args) => late().get(...args),
        list: (...args) => late().list(...args),
        watch: (...args) => late().watch(...args),
        create: (...args) => late().create(...args),
        update: (...args) => late().update(...args),
        delete: (...args) => late().delete(...args),
        apply: (...args) => late().apply(...args),
      };
    },
  };
}
