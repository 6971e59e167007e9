/** Values by patterns of paths: a path itself, or its beginning and `*`. Finds those of a path without a look at each. */
export class PathPatterns<V> {
  readonly #exact = new Map<string, V[]>();
  /** By the beginning. */
  readonly #beginnings = new Map<string, V[]>();
  /** The lengths of the beginnings. */
  readonly #lengths = new Set<number>();

  add(patterns: Iterable<string>, value: V): void {
    for (const pattern of new Set(patterns)) {
      push(this.#exact, pattern, value);
      if (!pattern.endsWith('*')) continue;
      const beginning = withoutStars(pattern);
      push(this.#beginnings, beginning, value);
      this.#lengths.add(beginning.length);
    }
  }

  /** The values of each pattern that matches, in the order in which they were added. */
  *matching(path: string): Generator<readonly V[]> {
    const exact = this.#exact.get(path);
    if (exact !== undefined) yield exact;
    for (const length of this.#lengths) {
      const values = length > path.length ? undefined : this.#beginnings.get(path.slice(0, length));
      if (values !== undefined) yield values;
    }
  }

  has(path: string): boolean {
    return this.matching(path).next().done !== true;
  }
}

function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else if (values.at(-1) !== value) values.push(value);
}
