import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { FollowOptions } from '@apiserver/registry-store';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import type { DependencyGraph } from './dependency-graph.js';
import { ResourceMonitor } from './resource-monitor.js';

/** Events have no owners. Upstream: DefaultIgnoredResources */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);
const VERBS = ['delete', 'list', 'watch'] as const;

/** The monitors of all deletable resources, also of those that come and go. */
export class ResourceMonitors implements AsyncDisposable {
  readonly #monitors = new Map<string, ResourceMonitor>();
  readonly #graph: DependencyGraph;
  readonly #optionsOf: (resource: GroupVersionResource) => FollowOptions<KubeObject>;

  constructor(graph: DependencyGraph, optionsOf: (resource: GroupVersionResource) => FollowOptions<KubeObject>) {
    this.#graph = graph;
    this.#optionsOf = optionsOf;
  }

  /** Starts and ends monitors so that there is one for each of the resources. */
  async sync(resources: readonly DiscoveredResource[]): Promise<void> {
    const wanted = new Map(resources.filter(isCollected).map((resource) => [keyOf(resource), resource]));
    const gone = [...this.#monitors].filter(([key]) => !wanted.has(key));
    for (const [key] of gone) this.#monitors.delete(key);
    for (const [key, resource] of wanted) {
      if (this.#monitors.has(key)) continue;
      this.#monitors.set(key, new ResourceMonitor(resource, this.#graph, this.#optionsOf(resource)));
    }
    await Promise.all(gone.map(([, monitor]) => monitor[Symbol.asyncDispose]()));
  }

  /** Resolves when the graph has the first list of each resource. */
  async synced(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ synced }) => synced));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sync([]);
  }
}

function isCollected({ group, resource, verbs }: DiscoveredResource): boolean {
  return !IGNORED.has(`${group}/${resource}`) && VERBS.every((verb) => verbs.has(verb));
}

function keyOf({ group, version, resource, kind }: DiscoveredResource): string {
  return `${group}/${version}/${resource}/${kind}`;
}
