import type { Duplex } from 'node:stream';

/** Milliseconds that a side has to take what was sent to it, once the other side has ended. */
const LINGER = 30_000;

/**
 * Passes bytes on in both directions, as fast as each side takes them, until one side ends or breaks; then ends the other
 * one as well, once it has taken what is left. Resolves when both are closed. There is no half-closed state: upstream
 * has none.
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

/** Resolves when `from` has closed; what happens to it happens to `into`. */
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
    // Nobody sends on a connection of which one side has ended.
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
