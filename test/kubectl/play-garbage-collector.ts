import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../harness/admin-client.ts';

interface OwnedObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

const mergePatch = { 'content-type': 'application/merge-patch+json' };

/**
 * Plays the garbage collector for the Deployments of a namespace and their ReplicaSets: dependents of removed owners
 * are removed, `foregroundDeletion` waits for dependents, `orphan` releases them.
 */
export class PlayGarbageCollector implements AsyncDisposable {
  readonly #client: AdminClient;
  readonly #apps: string;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(kubeconfig: string, namespace: string) {
    this.#client = new AdminClient(kubeconfig);
    this.#apps = `/apis/apps/v1/namespaces/${namespace}`;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    for (; !this.#stopped; await sleep(50)) {
      const owners = await this.#list('deployments');
      const dependents = await this.#list('replicasets');
      for (const owner of owners) await this.#settle(owner, dependents);
      const present = new Set(owners.map(({ metadata }) => metadata.uid));
      for (const { metadata } of dependents) {
        const { ownerReferences = [] } = metadata;
        if (ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => present.has(uid))) {
          await this.#client.request('DELETE', `${this.#apps}/replicasets/${metadata.name}`);
        }
      }
    }
  }

  async #settle({ metadata }: OwnedObject, dependents: readonly OwnedObject[]): Promise<void> {
    const { deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp === undefined) return;
    const own = dependents.filter((one) => one.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const isOrphaning = finalizers.includes('orphan');
    for (const { metadata } of own) {
      const path = `${this.#apps}/replicasets/${metadata.name}`;
      if (isOrphaning) await this.#patch(path, { ownerReferences: null });
      else await this.#client.request('DELETE', path);
    }
    if (isOrphaning || own.length === 0) {
      const left = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
      await this.#patch(`${this.#apps}/deployments/${metadata.name}`, { finalizers: left });
    }
  }

  async #patch(path: string, metadata: object): Promise<void> {
    await this.#client.request('PATCH', path, { metadata }, mergePatch);
  }

  async #list(resource: string): Promise<readonly OwnedObject[]> {
    return JSON.parse((await this.#client.request('GET', `${this.#apps}/${resource}`)).body).items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#client[Symbol.dispose]();
  }
}
