/** A path inside of a volume, and what puts something there. */
export interface SourcedPath {
  readonly path: string;
  readonly source: string;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  /** Indexes of the first paths that are this folder. */
  readonly own: number[];
  /** Indexes of the first paths that are this folder or in it. */
  readonly within: number[];
}

/**
 * The most pairs in warnings: a client is shown 4096 characters of warnings.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */
const MAX_PAIRS = 250;

/**
 * Pairs of paths that hide each other, each with one that came before it: equal ones, and one that is a folder of the other.
 * Each pair of texts once, in upstream's order. Takes time by the length of all paths.
 * Upstream: checkForOverlap of pkg/api/pod/warnings.go
 */
export class OverlappingPaths {
  readonly #root: Folder = newFolder();
  readonly #paths: SourcedPath[] = [];
  /** For each path and source how many others were known when it came last. */
  readonly #known = new Map<string, number>();
  readonly #told = new Set<string>();

  /** Adds a path and answers the earlier paths that overlap with it. */
  add(item: SourcedPath): readonly SourcedPath[] {
    if (item.path === '') return [];
    const key = `${item.source}\n${item.path}`;
    const known = this.#known.get(key);
    if (this.#told.size >= MAX_PAIRS || known === this.#paths.length) return [];
    this.#known.set(key, this.#paths.length);
    const way = this.#wayTo(item.path);
    const found = overlapsOf(way)
      .map((index) => this.#paths[index])
      .filter((other) => other !== undefined)
      .filter((other) => this.#isNew(key, other));
    if (known === undefined) this.#remember(item, way);
    return found;
  }

  #isNew(key: string, { path, source }: SourcedPath): boolean {
    const pair = `${key}\n${source}\n${path}`;
    if (this.#told.has(pair)) return false;
    this.#told.add(pair);
    return true;
  }

  #wayTo(path: string): readonly Folder[] {
    let folder = this.#root;
    return path.split('/').map((name) => {
      const next = folder.folders.get(name) ?? newFolder();
      folder.folders.set(name, next);
      folder = next;
      return next;
    });
  }

  #remember(item: SourcedPath, way: readonly Folder[]): void {
    const index = this.#paths.push(item) - 1;
    for (const { within } of way) if (within.length < MAX_PAIRS) within.push(index);
    const own = way.at(-1)?.own ?? [];
    if (own.length < MAX_PAIRS) own.push(index);
  }
}

function newFolder(): Folder {
  return { folders: new Map(), own: [], within: [] };
}

/** Folders on the way, and what is at its end and below, in the order in which they came. */
function overlapsOf(way: readonly Folder[]): readonly number[] {
  const above = way.slice(0, -1).flatMap(({ own }) => own);
  return [...above, ...(way.at(-1)?.within ?? [])].sort((a, b) => a - b);
}
