import type { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import { isConflict } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';

/** Times that a count which was charged meanwhile is written, before it is repeated. */
const MAX_WRITES = 10;

/** A finished count of a quota. */
export interface Count {
  /** The quota when the count began. */
  readonly before: ResourceQuota;
  readonly recounted: ResourceQuota;
}

/**
 * Writes a count. A quota that admission charges all the time has always changed since the count began: then the new
 * charges are added. Reports whether there were any. Rejects with a conflict after any other change.
 */
export async function writeCount(
  client: ResourceClient<ResourceQuota>,
  { before, recounted }: Count,
  recount: Pick<QuotaRecount, 'withCharges'>,
): Promise<boolean> {
  const { namespace = '', name = '' } = before.metadata;
  let next = recounted;
  for (let writes = 1; ; writes++) {
    try {
      await client.update(namespace, next, { subresource: 'status' });
      return next !== recounted;
    } catch (error) {
      if (!isConflict(error) || writes === MAX_WRITES) throw error;
      const charged = recount.withCharges(recounted, before, await client.get(namespace, name));
      if (charged === undefined) throw error;
      next = charged;
    }
  }
}
