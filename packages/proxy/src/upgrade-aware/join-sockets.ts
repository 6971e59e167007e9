import type { Duplex } from 'node:stream';

/** Time limit to flush one side after the other has ended, in milliseconds. */
const LINGER = 30_000;

/**
 * Copies bytes in both directions with backpressure until one side ends or fails. Then flushes and ends the other
 * side. Resolves when both are closed. There is no half-closed state, as upstream.
 * Upstream: tryUpgrade in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
 */
export function joinSockets(client: Duplex, backend: Duplex, signal: AbortSignal): Promise<void> {
  const abort = () => {
    client.destroy();
    backend.destroy();
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const closed = Promise.all([leadInto(client, backend), leadInto(backend, client)]);
  client.pipe(backend, { end: false });
  backend.pipe(client, { end: false });
  return closed.then(() => signal.removeEventListener('abort', abort));
}

/** Copies `from` to `into`, including its end or failure. Resolves when `from` has closed. */
function leadInto(from: Duplex, into: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = () => {
    if (into.destroyed) return;
    const timer = setTimeout(() => into.destroy(), LINGER);
    into.once('close', () => clearTimeout(timer));
    into.end(() => into.destroy());
  };
  from.on('error', finish);
  from.once('end', () => {
    finish();
    // No data follows after one side has ended.
    from.end(() => from.destroy());
  });
  from.once('close', () => {
    finish();
    resolve();
  });
  if (from.destroyed) {
    finish();
    resolve();
  }
  return promise;
}
