import { setTimeout as sleep } from 'node:timers/promises';
import { type EtcdServer, startEtcd } from '@apiserver/registry-store/testing';
import { serverOn } from '../etcd/server-on.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, temporaryDirectory } from '../harness/api-server.ts';
import type { Random } from './random.ts';
import type { Lifetime, RestartingServers } from './restarting-server.ts';

/** Several servers of one etcd. Each client goes to another one than the client before. */
export class ServersOnEtcd implements RestartingServers {
  readonly #folder = temporaryDirectory('servers');
  readonly #etcd: EtcdServer;
  readonly #args: readonly string[];
  readonly #servers: Promise<ApiServer>[] = [];
  #turn = 0;

  private constructor(etcd: EtcdServer, args: readonly string[]) {
    this.#etcd = etcd;
    this.#args = args;
  }

  static async start(count: number, args: readonly string[]): Promise<ServersOnEtcd> {
    const servers = new ServersOnEtcd(await startEtcd(), args);
    try {
      // The first one makes the keys and authorities of all.
      while (servers.#servers.length < count) {
        servers.#servers.push(Promise.resolve(await servers.#start(servers.#servers.length)));
      }
      return servers;
    } catch (error) {
      await servers[Symbol.asyncDispose]();
      throw error;
    }
  }

  async client(): Promise<AdminClient> {
    this.#turn += 1;
    const server = await this.#servers[this.#turn % this.#servers.length];
    if (server === undefined) throw new Error('no server has been started');
    return new AdminClient(server.kubeconfig);
  }

  /** Runs for a time. Ends a server and starts it again, and stops the etcd for a moment, in turn. */
  async restartOften({ milliseconds, restarts }: Lifetime, random: Random): Promise<void> {
    for (let restart = 0; restart < restarts; restart += 1) {
      await sleep(milliseconds / (restarts + 1));
      await this.#restart(random.below(this.#servers.length), random.of(['SIGTERM', 'SIGKILL']));
      if (random.chance(0.5)) await this.#suspendEtcd(random.below(1_000));
    }
    await sleep(milliseconds / (restarts + 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = await Promise.allSettled(this.#servers);
    await Promise.all(
      servers.map((server) => (server.status === 'fulfilled' ? server.value[Symbol.asyncDispose]() : undefined)),
    );
    await this.#etcd[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  #start(index: number): Promise<ApiServer> {
    return serverOn(this.#etcd, this.#folder.path, index, this.#args);
  }

  async #restart(index: number, signal: NodeJS.Signals): Promise<void> {
    const old = await this.#servers[index];
    if (old === undefined) throw new Error(`server ${index} has not been started`);
    const next = old.stop(signal).then(() => this.#start(index));
    this.#servers[index] = next;
    await next;
  }

  async #suspendEtcd(milliseconds: number): Promise<void> {
    this.#etcd.signal('SIGSTOP');
    await sleep(milliseconds);
    this.#etcd.signal('SIGCONT');
  }
}
