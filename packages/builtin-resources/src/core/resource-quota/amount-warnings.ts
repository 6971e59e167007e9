import type { ResourceQuota } from '@apiserver/api/core/v1';
import { Quantity } from '@apiserver/apimachinery/values';

const RESOURCES = ['cpu', 'memory', 'storage', 'ephemeral-storage'];
/** The resources whose own name stands for their requests. */
const BARE_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory']);

/**
 * Warns of a new quota that admits more requests than limits.
 * Upstream: WarningsOnCreate of pkg/registry/core/resourcequota/strategy.go
 */
export function amountWarnings({ spec: { hard = {} } }: ResourceQuota): string[] {
  return RESOURCES.flatMap((resource) => {
    const requests = `requests.${resource}`;
    const isBare = hard[requests] === undefined && BARE_RESOURCES.has(resource);
    const name = isBare ? resource : requests;
    const { [name]: request, [`limits.${resource}`]: limit } = hard;
    if (request === undefined || limit === undefined) return [];
    const [requested, limited] = [Quantity.parse(request), Quantity.parse(limit)];
    if (requested.compare(limited) <= 0) return [];
    return [`ResourceQuota ${name} (${requested}) should be less than limits.${resource} (${limited})`];
  });
}
