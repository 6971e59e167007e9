import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { FollowOptions } from '@apiserver/registry-store';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import type { DependencyGraph } from './dependency-graph.js';
import { ResourceMonitor } from './resource-monitor.js';

/** Events have no owners. Upstream: DefaultIgnoredResources */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);
const VERBS = ['delete', 'list', 'watch'] as const;

/** Dependencies of monitors. */
export interface ResourceMonitorsOptions {
  readonly graph: DependencyGraph;
  /** Resolves when a resource is first used; undefined if it may have objects. */
  readonly firstUse: (resource: GroupVersionResource) => Promise<void> | undefined;
  readonly optionsOf: (resource: GroupVersionResource) => FollowOptions<KubeObject>;
}

/** The monitors of all deletable resources, also of those that come and go. An unused resource needs none yet. */
export class ResourceMonitors implements AsyncDisposable {
  readonly #options: ResourceMonitorsOptions;
  /** Undefined for unused resources. */
  readonly #monitors = new Map<string, ResourceMonitor | undefined>();
  /** Those that have begun with the first use of their resource, without a list so far. */
  readonly #behind = new Set<ResourceMonitor>();

  constructor(options: ResourceMonitorsOptions) {
    this.#options = options;
  }

  /** Starts and ends monitors so that there is one for each of the resources. */
  async sync(resources: readonly DiscoveredResource[]): Promise<void> {
    const wanted = new Map(resources.filter(isCollected).map((resource) => [keyOf(resource), resource]));
    const gone = [...this.#monitors].filter(([key]) => !wanted.has(key));
    for (const [key] of gone) this.#monitors.delete(key);
    for (const [key, resource] of wanted) if (!this.#monitors.has(key)) this.#add(key, resource);
    await Promise.all(gone.map(([, monitor]) => monitor?.[Symbol.asyncDispose]()));
  }

  /** Resolves when the graph has the objects of resources that have just been used first; undefined if it has. */
  caughtUp(): Promise<unknown> | undefined {
    return this.#behind.size === 0 ? undefined : Promise.all([...this.#behind].map(({ synced }) => synced));
  }

  /** Resolves when the graph has the first list of each resource. */
  async synced(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map((monitor) => monitor?.synced));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sync([]);
  }

  #add(key: string, resource: DiscoveredResource): void {
    const used = this.#options.firstUse(resource);
    this.#monitors.set(key, used === undefined ? this.#start(resource) : undefined);
    void used?.then(() => this.#startLate(key, resource));
  }

  #startLate(key: string, resource: DiscoveredResource): void {
    // The resource may be gone, or have returned.
    if (!this.#monitors.has(key) || this.#monitors.get(key) !== undefined) return;
    const monitor = this.#start(resource);
    this.#monitors.set(key, monitor);
    this.#behind.add(monitor);
    void monitor.synced.then(() => this.#behind.delete(monitor));
  }

  #start(resource: DiscoveredResource): ResourceMonitor {
    const { graph, optionsOf } = this.#options;
    return new ResourceMonitor(resource, graph, optionsOf(resource));
  }
}

function isCollected({ group, resource, verbs }: DiscoveredResource): boolean {
  return !IGNORED.has(`${group}/${resource}`) && VERBS.every((verb) => verbs.has(verb));
}

function keyOf({ group, version, resource, kind }: DiscoveredResource): string {
  return `${group}/${version}/${resource}/${kind}`;
}
