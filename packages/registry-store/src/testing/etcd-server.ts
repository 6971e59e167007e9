import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from './temporary-directory.js';

const START_TIMEOUT_MS = 15_000;

/** The etcd for tests: ETCD_BINARY, else the one on the PATH; undefined if there is none. */
export function findEtcd(): string | undefined {
  const named = process.env['ETCD_BINARY'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'etcd')).find((file) => existsSync(file));
}

/** Reason for skipping tests that need etcd. */
export const NO_ETCD = 'needs etcd: install etcd-server or set ETCD_BINARY';

/** Flags and scheme of an etcd. */
export interface EtcdServerOptions {
  /** Additional flags. */
  readonly flags?: readonly string[];
  /** `https` requires certificates among the flags. */
  readonly scheme?: 'http' | 'https';
}

/** An etcd for one test, on free ports of 127.0.0.1, with a temporary data folder. */
export class EtcdServer implements AsyncDisposable {
  readonly url: string;
  readonly #flags: readonly string[];
  readonly #directory: ReturnType<typeof temporaryDirectory>;
  #process: ChildProcess | undefined;

  constructor(url: string, flags: readonly string[], directory: ReturnType<typeof temporaryDirectory>) {
    this.url = url;
    this.#flags = flags;
    this.#directory = directory;
  }

  /** Its data folder. */
  get directory(): string {
    return this.#directory.path;
  }

  /** Starts it, also after a kill with the same data; resolves when its port accepts connections. */
  async start(): Promise<void> {
    const binary = findEtcd();
    if (binary === undefined) throw new Error(NO_ETCD);
    const child = spawn(binary, this.#flags, { stdio: 'ignore', env: { PATH: process.env['PATH'] } });
    await once(child, 'spawn');
    this.#process = child;
    await responding(new URL(this.url), child);
  }

  /** Ends it at once, or suspends and resumes it. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#process?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
  }

  /** Kills it, removes its data, and restarts it. */
  async empty(): Promise<void> {
    await this.kill();
    for (const name of readdirSync(this.directory)) rmSync(join(this.directory, name), { recursive: true });
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#directory[Symbol.dispose]();
  }
}

/** Starts one etcd. */
export async function startEtcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options);
  return server as EtcdServer;
}

/** Starts the members of one cluster. None runs, and no folder is left, if one fails to start. */
export async function startEtcdCluster(size: number, options: EtcdServerOptions = {}): Promise<readonly EtcdServer[]> {
  const ports = await freePorts(size * 2);
  const members = Array.from({ length: size }, (_, i) => ({
    name: `member-${i}`,
    client: `${options.scheme ?? 'http'}://127.0.0.1:${ports[i * 2]}`,
    peer: `http://127.0.0.1:${ports[i * 2 + 1]}`,
  }));
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(',');
  const servers = members.map(({ name, client, peer }) => {
    const directory = temporaryDirectory();
    const flags = [
      ...['--name', name, '--data-dir', directory.path, '--initial-cluster', cluster],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      // A lone member elects itself after the election timeout.
      ...(size === 1 ? ['--heartbeat-interval', '10', '--election-timeout', '100'] : []),
      ...(options.flags ?? []),
    ];
    return new EtcdServer(client, flags, directory);
  });
  const starts = await Promise.allSettled(servers.map((server) => server.start()));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed === undefined) return servers;
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  throw failed.reason;
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function responding(url: URL, child: ChildProcess): Promise<void> {
  const { connect } = await import('node:net');
  const until = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    if (Date.now() > until) throw new Error('etcd does not listen');
    await sleep(10);
  }
}
