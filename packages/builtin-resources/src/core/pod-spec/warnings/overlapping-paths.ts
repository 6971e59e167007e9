/** A path in a volume, with its source. */
export interface SourcedPath {
  readonly path: string;
  readonly source: string;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  /** Indexes of the first paths equal to this folder. */
  readonly own: number[];
  /** Indexes of the first paths equal to this folder or in it. */
  readonly within: number[];
}

/**
 * Maximum number of pairs in warnings: a response has 4096 characters of warnings.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */
const MAX_PAIRS = 250;

/**
 * Finds pairs of overlapping paths: equal ones, and those where one is a folder of the other. Reports each pair of
 * strings once, in upstream's order. Takes linear time in the length of all paths.
 * Upstream: checkForOverlap of pkg/api/pod/warnings.go
 */
export class OverlappingPaths {
  readonly #root: Folder = newFolder();
  readonly #paths: SourcedPath[] = [];
  /** By path and source: the number of other paths known when it last occurred. */
  readonly #known = new Map<string, number>();
  readonly #reported = new Set<string>();

  /** Adds a path and returns earlier paths that overlap it. */
  add(item: SourcedPath): readonly SourcedPath[] {
    if (item.path === '') return [];
    const key = `${item.source}\n${item.path}`;
    const known = this.#known.get(key);
    if (this.#reported.size >= MAX_PAIRS || known === this.#paths.length) return [];
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
    if (this.#reported.has(pair)) return false;
    this.#reported.add(pair);
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

/** Paths equal to folders on the way, at its end, and below, in their order. */
function overlapsOf(way: readonly Folder[]): readonly number[] {
  const above = way.slice(0, -1).flatMap(({ own }) => own);
  return [...above, ...(way.at(-1)?.within ?? [])].sort((a, b) => a - b);
}
