import type { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { type FollowOptions, followResource, whenLoaded } from '@apiserver/registry-store';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';

/** Dependencies of the monitors. */
export interface UsageMonitorsOptions {
  readonly recount: QuotaRecount;
  followOptions(resource: DiscoveredResource): FollowOptions<KubeObject>;
  /** The usage of a resource in the namespace has changed other than by a creation, which admission has charged. */
  onChange(namespace: string, resource: DiscoveredResource): void;
}

/** Follows the resources that quotas count, in the namespaces of these quotas only. */
export class UsageMonitors implements AsyncDisposable {
  readonly #options: UsageMonitorsOptions;
  readonly #monitors = new Map<string, { readonly stop: AbortController; readonly running: Promise<void> }>();

  constructor(options: UsageMonitorsOptions) {
    this.#options = options;
  }

  /** Starts and ends monitors so that there is one for each counted resource in the namespace. */
  sync(namespace: string, quotas: readonly ResourceQuota[], resources: readonly DiscoveredResource[]): void {
    const { recount } = this.#options;
    const wanted = resources.filter((resource) => quotas.some((quota) => recount.concerns(quota, resource)));
    const keys = new Map(wanted.map((resource) => [keyOf(namespace, resource), resource]));
    for (const [key, { stop }] of this.#monitors) {
      if (!key.startsWith(`${namespace}/`) || keys.has(key)) continue;
      stop.abort();
      this.#monitors.delete(key);
    }
    for (const [key, resource] of keys) if (!this.#monitors.has(key)) this.#start(key, namespace, resource);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#monitors.values()];
    this.#monitors.clear();
    for (const { stop } of all) stop.abort();
    await Promise.all(all.map(({ running }) => running));
  }

  #start(key: string, namespace: string, resource: DiscoveredResource): void {
    const { recount, followOptions, onChange } = this.#options;
    const stop = new AbortController();
    const usages = new Map<string, string>();
    const sink = {
      // The quota is counted after its monitors have begun.
      replace: () => onChange(namespace, resource),
      event: ({ type, object: stored }: WatchEvent) =>
        whenLoaded(stored, (object) => {
          const { name = '' } = object.metadata;
          const before = usages.get(name);
          const usage = recount.usageText(resource, object);
          if (type === 'DELETED') usages.delete(name);
          else usages.set(name, usage);
          const isCreation = type === 'ADDED' || (type === 'MODIFIED' && before === usage);
          if (!isCreation) onChange(namespace, resource);
        }),
    };
    const running = followResource({ ...followOptions(resource), namespace }, sink, stop.signal);
    this.#monitors.set(key, { stop, running });
  }
}

function keyOf(namespace: string, { group, version, resource }: DiscoveredResource): string {
  return `${namespace}/${group}/${version}/${resource}`;
}
