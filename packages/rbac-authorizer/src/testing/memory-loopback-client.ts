import type { DeleteOptions, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { LoopbackClient, ResourceClient, StoredObject } from '@apiserver/apiserver-contracts';

/** One call, such as `create clusterroles /admin`. */
export type Call = string;

/** Stores objects in a Map, with resourceVersions, UIDs and the errors of a server. Does not support watches. */
export class MemoryLoopbackClient implements LoopbackClient {
  readonly calls: Call[] = [];
  /** By `resource namespace/name`. */
  readonly objects = new Map<string, KubeObject>();
  /** Called before every call. It may throw to make the call fail, or change the objects. */
  before: (call: Call) => void = () => {};
  #version = 0;

  resource<T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T> {
    // The test knows the resource's kind.
    return this.#client(resource) as unknown as ResourceClient<T>;
  }

  /** Calls with one of these verbs. */
  made(...verbs: readonly string[]): Call[] {
    return this.calls.filter((call) => verbs.includes(call.split(' ')[0] ?? ''));
  }

  #client(gvr: GroupVersionResource): ResourceClient<KubeObject> {
    const key = (namespace: string, name: string) => `${gvr.resource} ${namespace}/${name}`;
    const found = (namespace: string, name: string) => {
      const object = this.objects.get(key(namespace, name));
      if (object === undefined) throw newNotFound(gvr, name);
      return object;
    };
    const call = (verb: string, namespace: string, name: string) => {
      const text = `${verb} ${key(namespace, name)}`;
      this.calls.push(text);
      this.before(text);
    };
    return {
      resource: gvr,
      get: async (namespace, name) => {
        call('get', namespace, name);
        return found(namespace, name);
      },
      list: async (namespace) => {
        call('list', namespace, '');
        const prefix = namespace === '' ? `${gvr.resource} ` : key(namespace, '');
        const keys = [...this.objects.keys()].filter((there) => there.startsWith(prefix));
        const items = keys.flatMap((there) => this.objects.get(there) ?? []).map(stored);
        return { items, resourceVersion: String(this.#version) };
      },
      watch: () => Promise.reject(new Error('no watch here')),
      apply: () => Promise.reject(new Error('no apply here')),
      patch: () => Promise.reject(new Error('no patch here')),
      deleteCollection: () => Promise.reject(new Error('no deletecollection here')),
      create: async (namespace, object) => {
        const { name = '' } = object.metadata;
        call('create', namespace, name);
        if (this.objects.has(key(namespace, name))) throw newAlreadyExists(gvr, name);
        return this.#store(key(namespace, name), object, { uid: `uid-${this.#version + 1}` });
      },
      update: async (namespace, object) => {
        const { name = '', resourceVersion } = object.metadata;
        call('update', namespace, name);
        const { uid, resourceVersion: current } = found(namespace, name).metadata;
        if (resourceVersion !== current) throw newConflict(gvr, name, 'the object has been modified');
        return this.#store(key(namespace, name), object, uid === undefined ? {} : { uid });
      },
      delete: async (namespace: string, name: string, options: DeleteOptions = {}) => {
        call('delete', namespace, name);
        const { uid } = found(namespace, name).metadata;
        const wanted = options.preconditions?.uid;
        if (wanted !== undefined && wanted !== uid) throw newConflict(gvr, name, 'the UID in the precondition differs');
        this.objects.delete(key(namespace, name));
      },
    };
  }

  #store(key: string, object: KubeObject, identity: { readonly uid?: string }): KubeObject {
    const copy = cloneJson(object);
    copy.metadata = { ...copy.metadata, ...identity, resourceVersion: String(++this.#version) };
    this.objects.set(key, copy);
    return copy;
  }
}

function stored(object: KubeObject): StoredObject {
  return { object, resourceVersion: object.metadata.resourceVersion ?? '', wire: () => undefined };
}
