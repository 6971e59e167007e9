import type { PolicyRule } from '../policy-objects.js';
import { withoutStars } from '../rule-allows.js';

type Values = readonly string[] | null | undefined;

/** The values of one list of a rule. A look-up takes the same time however long the list is. */
class ValueSet {
  readonly #values: ReadonlySet<string>;
  readonly #all: boolean;

  constructor(values: Values) {
    this.#values = new Set(values ?? []);
    this.#all = this.#values.has('*');
  }

  /** Only a wildcard has a wildcard: `*` is no ordinary value here. */
  has(value: string): boolean {
    return this.#all || this.#values.has(value);
  }
}

/** A rule of the user who grants, prepared for many look-ups. */
export class OwnerRule {
  readonly #verbs: ValueSet;
  readonly #groups: ValueSet;
  readonly #resources: ValueSet;
  /** Undefined for all names. */
  readonly #names: ReadonlySet<string> | undefined;
  readonly #paths: ReadonlySet<string>;
  readonly #pathPrefixes: readonly string[];

  constructor({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) {
    this.#verbs = new ValueSet(verbs);
    this.#groups = new ValueSet(apiGroups);
    this.#resources = new ValueSet(resources);
    this.#names = resourceNames?.length ? new Set(resourceNames) : undefined;
    // A granted path has no names, so a rule with names covers no path.
    const paths = this.#names === undefined ? (nonResourceURLs ?? []) : [];
    this.#paths = new Set(paths);
    this.#pathPrefixes = paths.filter((path) => path.endsWith('*')).map(withoutStars);
  }

  /** Look-ups that `coversPath` makes. */
  get pathCount(): number {
    return 1 + this.#pathPrefixes.length;
  }

  coversVerb(verb: string): boolean {
    return this.#verbs.has(verb);
  }

  coversGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  coversResource(resource: string): boolean {
    if (this.#resources.has(resource)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && this.#resources.has(`*/${resource.slice(slash + 1)}`);
  }

  /** Undefined is all names. */
  coversName(name: string | undefined): boolean {
    return this.#names === undefined || (name !== undefined && this.#names.has(name));
  }

  coversPath(path: string): boolean {
    return this.#paths.has(path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix));
  }
}
