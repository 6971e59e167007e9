import type { AnyResourceDefinition, RequestScope } from '@apiserver/apiserver-contracts';

/** The identity of an endpoint's objects, whatever their version and group. */
type EndpointKey = Pick<RequestScope, 'definition' | 'subresource'>;

/** A resource in one version, whose endpoints are made when they are looked for. */
interface ServedResource {
  readonly installed: { readonly definition: AnyResourceDefinition };
  find(subresource: string): { readonly scope: RequestScope } | undefined;
}

const NONE: readonly RequestScope[] = [];

/** The resources whose objects have one key prefix. */
interface Equivalents {
  /** In order of installation. */
  readonly resources: readonly ServedResource[];
  /** Those that were looked for, by subresource. */
  scopes?: Map<string, readonly RequestScope[]>;
}

/**
 * The endpoints of a container by the objects that they serve. Endpoints whose objects have the same key prefix in
 * storage serve the same objects.
 * Upstream: equivalentResourceRegistry of k8s.io/apimachinery/pkg/runtime/mapper.go
 */
export class EquivalentEndpoints {
  /** A change replaces the entry. */
  readonly #resources = new Map<string, Equivalents>();

  add(resource: ServedResource): void {
    this.#set(resource, [...this.#resourcesLike(resource), resource]);
  }

  remove(resource: ServedResource): void {
    this.#set(
      resource,
      this.#resourcesLike(resource).filter((other) => other !== resource),
    );
  }

  of({ definition, subresource }: EndpointKey): readonly RequestScope[] {
    const equivalents = this.#resources.get(keyOf(definition));
    if (equivalents === undefined) return NONE;
    const known = equivalents.scopes?.get(subresource);
    if (known !== undefined) return known;
    const found = equivalents.resources.flatMap((resource) => resource.find(subresource)?.scope ?? []);
    equivalents.scopes ??= new Map();
    equivalents.scopes.set(subresource, found);
    return found;
  }

  #resourcesLike({ installed }: ServedResource): readonly ServedResource[] {
    return this.#resources.get(keyOf(installed.definition))?.resources ?? [];
  }

  #set({ installed }: ServedResource, resources: readonly ServedResource[]): void {
    const key = keyOf(installed.definition);
    if (resources.length === 0) this.#resources.delete(key);
    else this.#resources.set(key, { resources });
  }
}

function keyOf(definition: AnyResourceDefinition): string {
  return (definition.storedAs ?? definition).keyPrefix;
}
