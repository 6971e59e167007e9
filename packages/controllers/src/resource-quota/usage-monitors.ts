import type { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { type WatchEvent, whenLoaded } from '@apiserver/apiserver-contracts';
import { type FollowOptions, followResource } from '@apiserver/registry-store';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';

/** Milliseconds for which a count waits for monitors that have just started. */
const PATIENCE_MS = 1_000;

/** Dependencies of the monitors. */
export interface UsageMonitorsOptions {
  readonly recount: QuotaRecount;
  readonly clock: Clock;
  followOptions(resource: DiscoveredResource): FollowOptions<KubeObject>;
  /** The usage of a resource in the namespace has changed other than by a creation, which admission has charged. */
  onChange(namespace: string, resource: DiscoveredResource): void;
}

interface Monitor {
  readonly stop: AbortController;
  readonly running: Promise<void>;
  /** Settles with its first list. */
  readonly begun: Promise<void>;
  /** A count waits for its first list, which therefore is no change. */
  isAwaited: boolean;
}

/** Follows the resources that quotas count, in the namespaces of these quotas only. */
export class UsageMonitors implements AsyncDisposable {
  readonly #options: UsageMonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();

  constructor(options: UsageMonitorsOptions) {
    this.#options = options;
  }

  /**
   * Starts and ends monitors so that there is one for each counted resource in the namespace. Resolves when they have
   * begun: a count after it misses no change. Those that take longer than a second report a change when they begin.
   */
  async sync(
    namespace: string,
    quotas: readonly ResourceQuota[],
    resources: readonly DiscoveredResource[],
  ): Promise<void> {
    const { recount } = this.#options;
    const wanted = resources.filter((resource) => quotas.some((quota) => recount.concerns(quota, resource)));
    const keys = new Map(wanted.map((resource) => [keyOf(namespace, resource), resource]));
    for (const [key, { stop }] of this.#monitors) {
      if (!key.startsWith(`${namespace}/`) || keys.has(key)) continue;
      stop.abort();
      this.#monitors.delete(key);
    }
    for (const [key, resource] of keys) if (!this.#monitors.has(key)) this.#start(key, namespace, resource);
    await this.#begun([...keys.keys()].flatMap((key) => this.#monitors.get(key) ?? []));
  }

  async #begun(monitors: readonly Monitor[]): Promise<void> {
    const awaited = monitors.filter(({ isAwaited }) => isAwaited);
    if (awaited.length === 0) return;
    const over = new AbortController();
    const patience = sleep(this.#options.clock, PATIENCE_MS, over.signal);
    await Promise.race([Promise.all(awaited.map(({ begun, running }) => Promise.race([begun, running]))), patience]);
    over.abort();
    for (const monitor of awaited) monitor.isAwaited = false;
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
    const begun = Promise.withResolvers<void>();
    const sink = {
      replace: () => {
        begun.resolve();
        if (monitor.isAwaited) monitor.isAwaited = false;
        else onChange(namespace, resource);
      },
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
    const options = { ...followOptions(resource), namespace };
    // The list comes in a later turn.
    const running = Promise.resolve().then(() => followResource(options, sink, stop.signal));
    const monitor: Monitor = { stop, running, begun: begun.promise, isAwaited: true };
    this.#monitors.set(key, monitor);
  }
}

function keyOf(namespace: string, { group, version, resource }: DiscoveredResource): string {
  return `${namespace}/${group}/${version}/${resource}`;
}
