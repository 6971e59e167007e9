import type { DeepReadonly, DeleteOptions, KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { rbacV1Resource } from '../policy-objects.js';

/** Any role or binding. */
export interface PolicyObject {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** Reads and writes objects of one kind of rbac/v1. Objects are immutable. */
export interface PolicyClient<O extends PolicyObject> {
  get(namespace: string, name: string): Promise<O>;
  list(namespace: string): Promise<readonly O[]>;
  create(object: O): Promise<O>;
  update(object: O): Promise<O>;
  delete(namespace: string, name: string, options: DeleteOptions): Promise<void>;
}

/** The client of a resource such as `clusterroles`; `O` must be its kind. */
export function policyClient<O extends PolicyObject>(
  loopbackClient: LoopbackClient,
  resource: string,
): PolicyClient<O> {
  const client = loopbackClient.resource<KubeObject>(rbacV1Resource(resource));
  // The only cast to a kind: the resource determines it.
  const read = (object: DeepReadonly<KubeObject>) => object as unknown as O;
  const written = (object: O) => cloneJson(object) as unknown as KubeObject;
  return {
    get: async (namespace, name) => read(await client.get(namespace, name)),
    list: async (namespace) => (await client.list(namespace)).items.map(({ object }) => read(object)),
    create: async (object) => read(await client.create(object.metadata.namespace ?? '', written(object))),
    update: async (object) => read(await client.update(object.metadata.namespace ?? '', written(object))),
    delete: (namespace, name, options) => client.delete(namespace, name, options),
  };
}
