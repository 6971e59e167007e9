import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  AppsV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
  type V1Deployment,
} from '@kubernetes/client-node';
import { group, pagesOf, placeOf, plural, serverOf, version, type Website, withCondition } from './website.ts';
import { WorkQueue } from './work-queue.ts';

const finalizer = 'example.com/hosts';
const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/** The DNS of the company: what a website has outside of the cluster. */
export interface HostRegistry {
  register(host: string, website: string): Promise<void>;
  release(website: string): Promise<void>;
}

interface OperatorOptions {
  readonly hosts: HostRegistry;
  /** The time of conditions. */
  readonly now?: () => Date;
}

type Cache<T extends KubernetesObject> = Informer<T> & ObjectCache<T>;

/** Brings the cluster to what websites say. */
export class WebsiteOperator implements AsyncDisposable {
  readonly #objects: KubernetesObjectApi;
  readonly #custom: CustomObjectsApi;
  readonly #options: OperatorOptions;
  readonly #websites: Cache<Website>;
  readonly #servers: Cache<V1Deployment>;
  readonly #end = new AbortController();
  readonly #queue = new WorkQueue((key) => this.#reconcile(key));

  private constructor(config: KubeConfig, options: OperatorOptions) {
    this.#options = options;
    this.#objects = KubernetesObjectApi.makeApiClient(config);
    this.#custom = config.makeApiClient(CustomObjectsApi);
    const apps = config.makeApiClient(AppsV1Api);
    const resource = { group, version, plural };
    this.#websites = makeInformer<Website>(config, `/apis/${group}/${version}/${plural}`, () =>
      this.#custom.listClusterCustomObject(resource),
    );
    this.#servers = makeInformer(config, '/apis/apps/v1/deployments', () => apps.listDeploymentForAllNamespaces());
  }

  static async start(config: KubeConfig, options: OperatorOptions): Promise<WebsiteOperator> {
    const operator = new WebsiteOperator(config, options);
    await operator.#follow(operator.#servers, ({ metadata }) =>
      metadata?.ownerReferences?.some(({ kind }) => kind === 'Website'),
    );
    await operator.#follow(operator.#websites, () => true);
    return operator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all([this.#websites.stop(), this.#servers.stop()]);
    await this.#queue[Symbol.asyncDispose]();
  }

  /** Objects and their website have the same name. */
  async #follow<T extends KubernetesObject>(informer: Cache<T>, isOurs: (object: T) => boolean | undefined) {
    const enqueue = (object: T) => {
      if (isOurs(object)) this.#queue.add(`${object.metadata?.namespace}/${object.metadata?.name}`);
    };
    for (const event of ['add', 'update', 'delete'] as const) informer.on(event, enqueue);
    informer.on('error', () => void this.#restart(informer));
    await informer.start();
  }

  async #restart<T extends KubernetesObject>(informer: Cache<T>): Promise<void> {
    const { signal } = this.#end;
    await sleep(1000, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await informer.start();
  }

  async #reconcile(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const site = this.#websites.get(name, namespace);
    if (site === undefined) return;
    const finalizers = site.metadata?.finalizers ?? [];
    if (site.metadata?.deletionTimestamp !== undefined) {
      await this.#options.hosts.release(key);
      await this.#setFinalizers(
        site,
        finalizers.filter((other) => other !== finalizer),
      );
      return;
    }
    // Before anything is registered, so that nothing is forgotten.
    if (!finalizers.includes(finalizer)) await this.#setFinalizers(site, [...finalizers, finalizer]);
    for (const host of site.spec.hosts) await this.#options.hosts.register(host, key);
    await this.#apply(pagesOf(site));
    const server = await this.#apply(serverOf(site));
    await this.#reportReady(site, (server.status?.availableReplicas ?? 0) > 0);
  }

  async #setFinalizers(site: Website, finalizers: readonly string[]): Promise<void> {
    const { resourceVersion } = site.metadata ?? {};
    const body = { metadata: { finalizers, resourceVersion } };
    await this.#custom.patchNamespacedCustomObject({ ...resourceOf(site), body }, mergePatch);
  }

  async #apply<T extends KubernetesObject>(object: T): Promise<T> {
    const { ServerSideApply } = PatchStrategy;
    return await this.#objects.patch(object, undefined, undefined, 'website-operator', true, ServerSideApply);
  }

  /** Writes the status of the newest version, so that a conflict leads to a new attempt. */
  async #reportReady(site: Website, ready: boolean): Promise<void> {
    const current: Website = await this.#custom.getNamespacedCustomObject(resourceOf(site));
    const { now = () => new Date() } = this.#options;
    const observedGeneration = site.metadata?.generation ?? 0;
    const condition = {
      type: 'Ready',
      status: ready ? 'True' : 'False',
      reason: ready ? 'Serving' : 'Starting',
      message: ready ? `http://${site.spec.hosts[0]}/` : 'no replica is available',
      lastTransitionTime: now(),
      observedGeneration,
    };
    const conditions = withCondition(current.status?.conditions ?? [], condition);
    const status = { observedGeneration, conditions };
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(status)), current.status)) return;
    await this.#custom.replaceNamespacedCustomObjectStatus({ ...resourceOf(site), body: { ...current, status } });
  }
}

function resourceOf(site: Website) {
  return { group, version, plural, ...placeOf(site) };
}
