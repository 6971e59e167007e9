/** A name, and the names that follow it in some list. */
interface Node {
  readonly followers: Set<string>;
  predecessors: number;
}

/**
 * The names of all lists, each once, in an order that agrees with every list. Names that no list ranks go
 * alphabetically. Where two lists contradict each other, all names do.
 * Upstream: MergePreservingRelativeOrder of k8s.io/apimachinery/pkg/util/sort
 */
export function mergeInOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const graph = graphOf(lists);
  const complete = lists.find((list) => list.length === graph.size && new Set(list).size === list.length);
  if (complete !== undefined) return complete;
  const ready = [...graph].filter(([, { predecessors }]) => predecessors === 0).map(([name]) => name);
  // The next name is the last one, so that it is taken cheaply.
  ready.sort(descending);
  const merged: string[] = [];
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    merged.push(name);
    for (const follower of graph.get(name)?.followers ?? []) {
      const node = graph.get(follower);
      if (node !== undefined && --node.predecessors === 0) insert(ready, follower);
    }
  }
  return merged.length === graph.size ? merged : [...graph.keys()].sort();
}

function graphOf(lists: readonly (readonly string[])[]): ReadonlyMap<string, Node> {
  const graph = new Map<string, Node>();
  const nodeOf = (name: string): Node => {
    const node = graph.get(name) ?? { followers: new Set(), predecessors: 0 };
    graph.set(name, node);
    return node;
  };
  for (const list of lists) {
    for (const [index, name] of list.entries()) {
      const { followers } = nodeOf(name);
      const next = list[index + 1];
      if (next === undefined || followers.has(next)) continue;
      followers.add(next);
      nodeOf(next).predecessors++;
    }
  }
  return graph;
}

function descending(a: string, b: string): number {
  return a < b ? 1 : -1;
}

/** Keeps the order of `ready`, which is descending. */
function insert(ready: string[], name: string): void {
  const index = ready.findIndex((one) => one < name);
  ready.splice(index === -1 ? ready.length : index, 0, name);
}
