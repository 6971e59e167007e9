/** Stands for the elements of a list, the values and the keys of a map, and the indices of a list in a path. */
export const ITEMS = '@items';
export const VALUES = '@values';
export const KEYS = '@keys';
export const INDICES = '@indices';

/** The names that several paths share. */
interface SharedNames {
  readonly names: string[];
  readonly capacity: number;
}

/**
 * The way from a variable to a value: the variable's name, then fields, and `@items` and such.
 *
 * A path that is extended twice shares its names with both, as a slice of Go does, so the second extension can change
 * the first. The size that upstream looks up for a path depends on it.
 */
export class Path {
  readonly length: number;
  readonly #shared: SharedNames;

  private constructor(shared: SharedNames, length: number) {
    this.#shared = shared;
    this.length = length;
  }

  /** A path of one name. */
  static of(name: string): Path {
    return new Path({ names: [name], capacity: 1 }, 1);
  }

  /** A path with one more name; one of that name only if there is no path. */
  static extend(path: Path | undefined, name: string): Path {
    if (path === undefined) return Path.of(name);
    const { length } = path;
    let shared = path.#shared;
    if (length === shared.capacity) {
      shared = { names: shared.names.slice(0, length), capacity: 2 * length };
    }
    shared.names[length] = name;
    return new Path(shared, length + 1);
  }

  at(index: number): string {
    return this.#shared.names[index] ?? '';
  }

  /** A path to the elements of this one, which shares nothing with it. */
  toItems(): Path {
    const names = [...this.#shared.names.slice(0, this.length), ITEMS];
    return new Path({ names, capacity: names.length }, names.length);
  }
}
