import type { KubeObject } from '@apiserver/apimachinery';
import type { RequestAudit, TraceSpan, VerbContext } from '@apiserver/apiserver-contracts';
import type { StoreCore } from './store-core.js';

/** A write to trace. */
interface TracedWrite {
  readonly operation: 'Create' | 'GuaranteedUpdate';
  readonly key: string;
}

/**
 * Does a write of storage as a span of its own if the request is traced, and times it if the request is audited.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go, whatever the store is here
 */
export function tracedWrite<T extends KubeObject, R>(
  { definition: { group, resource } }: StoreCore<T>,
  context: VerbContext,
  { operation, key }: TracedWrite,
  write: () => Promise<R>,
): Promise<R> {
  const span = context.startSpan?.(`${operation} etcd3`, { key, group, resource });
  const { audit } = context;
  const timed = audit === undefined ? write : () => timedWrite(audit, write);
  return span === undefined ? timed() : inSpan(span, timed);
}

/** Upstream: k8s.io/apiserver/pkg/storage/etcd3/latency_tracker.go */
async function timedWrite<R>(audit: RequestAudit, write: () => Promise<R>): Promise<R> {
  const begun = performance.now();
  try {
    return await write();
  } finally {
    audit.spend('etcd', performance.now() - begun);
  }
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
