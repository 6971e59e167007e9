import type { RequestInfo } from '@apiserver/apiserver-contracts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'proxy']);

/** An index of the watch cache: a watch that selects by this field gets only few events. */
const PODS = 'pods';
const NODE_NAME = /(?:^|,)spec\.nodeName=+([^,]*)/;

/** Numbers of watches by namespace and name; "" stands for all of them. */
type ByNamespace = Map<string, Map<string, number>>;

/**
 * Numbers of watches, to estimate the events that a write causes.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/watch_tracker.go
 */
export class WatchTracker {
  /** By group and resource. Nested, because V8 hashes each text that joins several parts. */
  readonly #counts = new Map<string, Map<string, ByNamespace>>();

  /** Counts a watch until the returned function is called. */
  register(info: RequestInfo): () => void {
    if (isOfOneNode(info)) return () => {};
    const { apiGroup, resource, namespace, name } = info;
    const byResource = inner(this.#counts, apiGroup);
    const byNamespace = inner(byResource, resource);
    const byName = inner(byNamespace, namespace);
    byName.set(name, (byName.get(name) ?? 0) + 1);
    return () => this.#forget(info);
  }

  #forget({ apiGroup, resource, namespace, name }: RequestInfo): void {
    const byResource = this.#counts.get(apiGroup);
    const byNamespace = byResource?.get(resource);
    const byName = byNamespace?.get(namespace);
    const left = (byName?.get(name) ?? 0) - 1;
    if (left > 0) byName?.set(name, left);
    else byName?.delete(name);
    if (byName?.size === 0) byNamespace?.delete(namespace);
    if (byNamespace?.size === 0) byResource?.delete(resource);
    if (byResource?.size === 0) this.#counts.delete(apiGroup);
  }

  /** The watches that may get an event of this request. */
  interested({ verb, apiGroup, resource, namespace, name }: RequestInfo): number {
    if (READS.has(verb)) return 0;
    const byNamespace = this.#counts.get(apiGroup)?.get(resource);
    if (byNamespace === undefined) return 0;
    const byName = byNamespace.get(namespace);
    let count = byNamespace.get('')?.get('') ?? 0;
    if (namespace !== '') count += byName?.get('') ?? 0;
    if (name !== '') count += byName?.get(name) ?? 0;
    return count;
  }
}

/** The inner map of a key, which is made where there is none. */
function inner<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
}

/** Watches for one node are so many that each event concerns few of them. */
function isOfOneNode({ resource, fieldSelector }: RequestInfo): boolean {
  if (resource !== PODS) return false;
  const [, node = ''] = NODE_NAME.exec(fieldSelector) ?? [];
  return node !== '';
}
