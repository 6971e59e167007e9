import type { Pod } from '@apiserver/api/core/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { allContainers } from '@apiserver/resource-kit/pods';

/**
 * The container of a request: the named one, or the only one. Throws a 400.
 * Upstream: validateContainer in pkg/registry/core/pod/strategy.go
 */
export function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const names = [...allContainers(spec)].map(({ name }) => name);
  if (wanted !== '') {
    if (names.includes(wanted)) return wanted;
    throw newBadRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  const [only, ...others] = spec.containers ?? [];
  const mustName = `a container name must be specified for pod ${metadata.name}`;
  if (only === undefined) throw newBadRequest(mustName);
  if (others.length > 0) throw newBadRequest(`${mustName}, choose one of: [${names.join(' ')}]`);
  return only.name;
}
