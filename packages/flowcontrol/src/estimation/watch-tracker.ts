import type { RequestInfo } from '@apiserver/apiserver-contracts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'proxy']);

/** An index of the watch cache: a watch that selects by this field gets only few events. */
const PODS = 'pods';
const NODE_NAME = /(?:^|,)spec\.nodeName=+([^,]*)/;

/**
 * Numbers of watches, to estimate the events that a write causes.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/watch_tracker.go
 */
export class WatchTracker {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the returned function is called. */
  register(info: RequestInfo): () => void {
    if (isOfOneNode(info)) return () => {};
    const key = keyOf(info, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }

  /** The watches that may get an event of this request. */
  interested(info: RequestInfo): number {
    if (this.#counts.size === 0 || READS.has(info.verb)) return 0;
    const { namespace, name } = info;
    let count = this.#counts.get(keyOf(info, '', '')) ?? 0;
    if (namespace !== '') count += this.#counts.get(keyOf(info, namespace, '')) ?? 0;
    if (name !== '') count += this.#counts.get(keyOf(info, namespace, name)) ?? 0;
    return count;
  }
}

function keyOf({ apiGroup, resource }: RequestInfo, namespace: string, name: string): string {
  return `${apiGroup}\u0000${resource}\u0000${namespace}\u0000${name}`;
}

/** Watches for one node are so many that each event concerns few of them. */
function isOfOneNode({ resource, fieldSelector }: RequestInfo): boolean {
  if (resource !== PODS) return false;
  const [, node = ''] = NODE_NAME.exec(fieldSelector) ?? [];
  return node !== '';
}
