import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import type { Random } from './random.ts';

export interface Lifetime {
  readonly milliseconds: number;
  readonly restarts: number;
}

/** Servers of the same objects. A client that is lost asks for another. */
export interface ClientSource {
  client(): Promise<AdminClient>;
}

/** Servers that stop and start again while they are used. */
export interface RestartingServers extends ClientSource, AsyncDisposable {
  restartOften(lifetime: Lifetime, random: Random): Promise<void>;
}

/** A server that stops and starts again on the same port with the same data. */
export class RestartingServer implements RestartingServers {
  readonly #folder = temporaryDirectory('watch');
  readonly #args: readonly string[];
  #server: Promise<ApiServer>;

  constructor(args: readonly string[]) {
    this.#args = args;
    this.#server = this.#start();
  }

  async kubeconfig(): Promise<string> {
    return (await this.#server).kubeconfig;
  }

  async kubeconfigText(): Promise<string> {
    return readFileSync(await this.kubeconfig(), 'utf8');
  }

  async url(): Promise<string> {
    return (await this.#server).url;
  }

  /** A connection to the server that runs, or to the next one when it is about to come. */
  async client(): Promise<AdminClient> {
    return new AdminClient(await this.kubeconfig());
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    const old = await this.#server;
    this.#server = old.stop(signal).then(() => this.#start(old.port));
    await this.#server;
  }

  /** An orderly end, or none. */
  restartAtRandom(random: Random): Promise<void> {
    return this.restart(random.of(['SIGTERM', 'SIGKILL']));
  }

  /** Runs for a time, with a number of restarts. Some of them kill the server. */
  async restartOften({ milliseconds, restarts }: Lifetime, random: Random): Promise<void> {
    for (let restart = 0; restart < restarts; restart += 1) {
      await sleep(milliseconds / (restarts + 1));
      await this.restartAtRandom(random);
    }
    await sleep(milliseconds / (restarts + 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.#server.catch(() => undefined);
    await server?.[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  #start(port = 0): Promise<ApiServer> {
    return startApiServer({ dataDirectory: join(this.#folder.path, 'data'), port, args: this.#args });
  }
}
