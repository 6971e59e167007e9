import type { KubeObject } from '@apiserver/apimachinery';
import type { TraceSpan, VerbContext } from '@apiserver/apiserver-contracts';
import type { StoreCore } from './store-core.js';

/** A write to trace. */
interface TracedWrite {
  readonly operation: 'Create' | 'GuaranteedUpdate';
  readonly key: string;
}

/**
 * Does a write of storage as a span of its own if the request is traced.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go, whatever the store is here
 */
export function tracedWrite<T extends KubeObject, R>(
  { definition: { group, resource } }: StoreCore<T>,
  context: VerbContext,
  { operation, key }: TracedWrite,
  write: () => Promise<R>,
): Promise<R> {
  const span = context.startSpan?.(`${operation} etcd3`, { key, group, resource });
  return span === undefined ? write() : inSpan(span, write);
}

async function inSpan<R>(span: TraceSpan, write: () => Promise<R>): Promise<R> {
  try {
    const result = await write();
    span.addEvent('Txn call succeeded');
    return result;
  } finally {
    span.end();
  }
}
