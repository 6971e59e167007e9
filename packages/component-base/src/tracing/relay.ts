import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
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
 * Starts a relay that only this user can reach. Each connection is dialled separately. A failure is logged, and closes
 * the connection. On Linux even a killed process leaves no file.
 */
export async function startRelay(dial: () => Promise<Duplex>, logger: Logger): Promise<Relay> {
  await using made = new AsyncDisposableStack();
  // Only this user can enter a folder that mkdtemp makes.
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  made.defer(removeFolder);
  const path = join(folder, 'relay.sock');
  await listen(path, (socket) => void continueAt(socket, dial, logger), made);
  const unnamed = unnamedSocket(path);
  if (unnamed !== undefined) {
    made.defer(() => closeSync(unnamed.descriptor));
    removeFolder();
  }
  const resources = made.move();
  return {
    target: `unix://${unnamed?.path ?? path}`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Listens on a unix socket until `resources` are disposed, which also closes the connections. */
async function listen(
  path: string,
  connected: (socket: Socket) => void,
  resources: AsyncDisposableStack,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    connected(socket);
  });
  await once(server.listen(path), 'listening');
  server.unref();
  resources.defer(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
}

/** Linux's flag for a descriptor that only names a file. Node has no constant for it. */
const O_PATH = 0o10000000;

/** A path of this process to a bound socket, which outlives the removal of its name; undefined except on Linux. */
function unnamedSocket(path: string): { readonly path: string; readonly descriptor: number } | undefined {
  if (!existsSync('/proc/self/fd')) return undefined;
  const descriptor = openSync(path, O_PATH);
  return { path: `/proc/self/fd/${descriptor}`, descriptor };
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
