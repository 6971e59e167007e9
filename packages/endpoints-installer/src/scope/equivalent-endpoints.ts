import type { RequestScope } from '@apiserver/apiserver-contracts';

/** The identity of an endpoint's objects, whatever their version and group. */
type EndpointKey = Pick<RequestScope, 'definition' | 'subresource'>;

const NONE: readonly RequestScope[] = [];

/**
 * The endpoints of a container by the objects that they serve. Endpoints whose objects have the same key prefix in
 * storage serve the same objects.
 * Upstream: equivalentResourceRegistry of k8s.io/apimachinery/pkg/runtime/mapper.go
 */
export class EquivalentEndpoints {
  /** In order of installation. A change replaces the list. */
  readonly #endpoints = new Map<string, readonly RequestScope[]>();

  add(scope: RequestScope): void {
    this.#endpoints.set(keyOf(scope), [...this.of(scope), scope]);
  }

  remove(scope: RequestScope): void {
    const left = this.of(scope).filter((other) => other !== scope);
    if (left.length === 0) this.#endpoints.delete(keyOf(scope));
    else this.#endpoints.set(keyOf(scope), left);
  }

  of(scope: EndpointKey): readonly RequestScope[] {
    return this.#endpoints.get(keyOf(scope)) ?? NONE;
  }
}

function keyOf({ definition, subresource }: EndpointKey): string {
  const { keyPrefix } = definition.storedAs ?? definition;
  return `${keyPrefix} ${subresource}`;
}
