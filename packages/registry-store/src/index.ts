export { type Clock, systemClock } from './clock.js';
export {
  compactedError,
  futureRevisionError,
  isKeyValueError,
  KeyValueError,
  type KeyValueErrorCode,
} from './key-value-error.js';
export {
  type CommitRequest,
  type CommitResult,
  type GetResult,
  type KeyValue,
  type KeyValueEvent,
  type KeyValueSink,
  type KeyValueStore,
  type KeyValueWatch,
  type KeyValueWatchRequest,
  prefixEnd,
  type RangeRequest,
  type RangeResult,
} from './key-value-store.js';
export type { StorageProvider, StorageProviderOptions } from './storage-provider.js';
