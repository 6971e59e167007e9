import type { KeyValueError } from '../key-value-error.js';
import type { MetaRecord } from './tables.js';

/** As etcd: an empty store stands at revision 1 and the first write gets 2. */
const EMPTY: MetaRecord = { revision: 1, compactedRevision: 0, prunedRevision: 0, tickTime: 0, tickRevision: 0 };

/** What is published of a store. Changed only by the commit queue, after the change is durable. */
export class StoreState {
  meta: MetaRecord;
  /** Set once the store can no longer be trusted or is closed: everything fails with it. */
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
