import type { KeyValueEvent } from '../key-value-store.js';
import type { EtcdEvent } from './messages/watch.js';

/** Converts an event of etcd to one of the store. */
export function toEvent({ deleted, kv, previous }: EtcdEvent, more = false): KeyValueEvent {
  const { key, value, modRevision: revision } = kv;
  return deleted
    ? { type: 'delete', key, revision, previous, more }
    : { type: 'put', key, value, revision, previous, more };
}
