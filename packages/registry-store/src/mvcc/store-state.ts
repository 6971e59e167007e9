import type { KeyValueError } from '../key-value-error.js';
import type { MetaRecord } from './tables.js';

/** As in etcd: an empty store is at revision 1 and the first write gets 2. */
const EMPTY: MetaRecord = { revision: 1, compactedRevision: 0, prunedRevision: 0, tickTime: 0, tickRevision: 0 };

/** The published state of a store. Only the commit queue changes it, after a change is durable. */
export class StoreState {
  meta: MetaRecord;
  /** Set once the store is closed or can no longer be trusted: everything fails with it. */
  failure: KeyValueError | undefined;
  closing = false;
  readonly closed = Promise.withResolvers<void>();

  constructor(meta: MetaRecord | undefined) {
    this.meta = meta ?? EMPTY;
  }

  checkOpen(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
