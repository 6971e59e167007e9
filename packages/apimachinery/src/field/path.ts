/**
 * The place of a value inside an object, from the root: `spec.ports[0].name`, `metadata.labels[app]`. Immutable.
 * Building one allocates no text, so that validation only pays for strings on errors.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/validation/field/path.go
 */
export class FieldPath {
  /** The empty path: prints `<nil>`, and its children start a path. For errors without a field. */
  static readonly none: FieldPath = new FieldPath(undefined, '', false);

  readonly #parent: FieldPath | undefined;
  readonly #segment: string;
  readonly #subscript: boolean;

  private constructor(parent: FieldPath | undefined, segment: string, subscript: boolean) {
    this.#parent = parent;
    this.#segment = segment;
    this.#subscript = subscript;
  }

  /** A path from the root: `FieldPath.of('metadata', 'name')` is `metadata.name`. */
  static of(name: string, ...moreNames: readonly string[]): FieldPath {
    let path = FieldPath.none.child(name);
    for (const next of moreNames) path = path.child(next);
    return path;
  }

  /** The path of a named field below this one. */
  child(name: string, second?: string, third?: string): FieldPath {
    const path = this.#append(name, false);
    if (second === undefined) return path;
    return third === undefined ? path.#append(second, false) : path.#append(second, false).#append(third, false);
  }

  /** The path of an element of this list: `[2]`. */
  index(index: number): FieldPath {
    return this.#append(String(index), true);
  }

  /** The path of an entry of this map: `[key]`. */
  key(key: string): FieldPath {
    return this.#append(key, true);
  }

  /** In one step: sums of texts would keep one for each ancestor, and a path can have thousands of them. */
  toString(): string {
    if (this === FieldPath.none) return '<nil>';
    const texts: string[] = [];
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) texts.push(path.#text);
    return texts.reverse().join('');
  }

  get #text(): string {
    if (this.#subscript || this.#segment === '') return `[${this.#segment}]`;
    return this.#parent === undefined ? this.#segment : `.${this.#segment}`;
  }

  #append(segment: string, subscript: boolean): FieldPath {
    return new FieldPath(this === FieldPath.none ? undefined : this, segment, subscript);
  }
}
