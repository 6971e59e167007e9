import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import { errorOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';

/** Opens a connection by another way than the network of this machine. */
export type RelayDialer = (target: { readonly hostname: string; readonly port: number }) => Promise<Duplex>;

/** A unix socket whose connections continue at a target, for a client that has no dialer of its own. */
export interface Relay extends AsyncDisposable {
  /** A target of gRPC: `unix://` and a path. */
  readonly target: string;
}

/**
 * Starts a relay in a folder that only this user can enter. Each connection is dialled by itself; failures are logged,
 * and close it.
 */
export async function startRelay(dial: () => Promise<Duplex>, logger: Logger): Promise<Relay> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const path = join(folder, 'relay.sock');
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    void continueAt(socket, dial, logger);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return {
    target: `unix://${path}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function continueAt(socket: Socket, dial: () => Promise<Duplex>, logger: Logger): Promise<void> {
  try {
    const backend = await dial();
    // Each end and each failure destroys both.
    pipeline(socket, backend, socket, () => {});
    socket.resume();
  } catch (error) {
    logger.error(errorOf(error), 'The collector of spans could not be reached');
    socket.destroy();
  }
}
