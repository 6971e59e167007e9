import type { Duplex, Readable } from 'node:stream';
import { throttledFrom } from '../throttle/throttle.js';

/** Time limit to flush one side after the other has ended, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * Copies bytes in both directions with backpressure until one side ends or fails. Then flushes and ends the other
 * side. Resolves when both are closed. There is no half-closed state, as upstream. `maxBytesPerSec` limits each
 * direction by itself; 0 for no limit.
 * Upstream: tryUpgrade in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
 */
export function joinSockets(
  client: Duplex,
  backend: Duplex,
  { signal, maxBytesPerSec = 0 }: { readonly signal: AbortSignal; readonly maxBytesPerSec?: number | undefined },
): Promise<void> {
  const fromClient = throttledFrom(client, maxBytesPerSec);
  const fromBackend = throttledFrom(backend, maxBytesPerSec);
  const abort = () => {
    client.destroy();
    backend.destroy();
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const closed = Promise.all([leadInto(client, fromClient, backend), leadInto(backend, fromBackend, client)]);
  fromClient.pipe(backend, { end: false });
  fromBackend.pipe(client, { end: false });
  return closed.then(() => {
    signal.removeEventListener('abort', abort);
    fromClient.destroy();
    fromBackend.destroy();
  });
}

/**
 * Copies the end or failure of `from` to `into`, once the `bytes` of `from` have ended. Resolves when `from` has
 * closed.
 */
function leadInto(from: Duplex, bytes: Readable, into: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = () => {
    if (into.destroyed) return;
    const timer = setTimeout(() => into.destroy(), LINGER_MS);
    into.once('close', () => clearTimeout(timer));
    into.end(() => into.destroy());
  };
  from.on('error', () => {});
  bytes.on('error', finish);
  bytes.once('end', () => {
    finish();
    // No data follows after one side has ended.
    from.end(() => from.destroy());
  });
  bytes.once('close', finish);
  from.once('close', resolve);
  if (from.destroyed) {
    finish();
    resolve();
  }
  return promise;
}
