import { isNotFound, newNotFound } from '@apiserver/apimachinery/errors';

/**
 * The result of a lookup on behalf of a request. NotFound names the resource of the request instead of the missing one:
 * `services "a" not found` where endpoints are missing.
 * Upstream: Store.qualifiedResourceFromContext of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function namedByRequest<T>(resource: string, name: string, lookup: Promise<T>): Promise<T> {
  try {
    return await lookup;
  } catch (error) {
    throw isNotFound(error) ? newNotFound({ group: '', resource }, name) : error;
  }
}
