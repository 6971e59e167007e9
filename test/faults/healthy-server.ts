import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { AdminClient, type Credentials, readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

export const configMaps = '/api/v1/namespaces/default/configmaps';

/** One server for all tests of a file, which must be well after each of them, whatever was done to it. */
export class HealthyServer {
  #server: ApiServer | undefined;
  #logged = 0;

  constructor(args: readonly string[] = []) {
    beforeAll(async () => {
      this.#server = await startApiServer({ args: ['--storage-backend=memory', ...args] });
      this.#logged = this.#server.stderr.length;
    });
    afterEach(() => this.#expectHealth());
    afterAll(async () => {
      // The most of the last second: so it is read when all is over.
      const writes = () => this.metric('apiserver_current_inflight_requests', /mutating/);
      expect(await settled(writes, 0)).toBe(0);
      await using server = this.#started;
      const ended = await server.stop();
      expect([ended.code, ended.signal]).toEqual([0, null]);
    });
  }

  get #started(): ApiServer {
    if (this.#server === undefined) throw new Error('the server has not been started');
    return this.#server;
  }

  get port(): number {
    return this.#started.port;
  }

  get credentials(): Credentials {
    return readCredentials(this.#started.kubeconfig);
  }

  client(): AdminClient {
    return new AdminClient(this.#started.kubeconfig);
  }

  /** A metric's value, summed over its label sets that `labels` matches. */
  async metric(name: string, labels = /^/): Promise<number> {
    using client = this.client();
    const { body } = await client.request('GET', '/metrics');
    return body
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => labels.test(line))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Number of watches of the ConfigMaps of a namespace; the server itself always watches a single one. */
  watches(): Promise<number> {
    return this.metric('apiserver_longrunning_requests', /resource="configmaps".*scope="namespace"/);
  }

  /** It responds, has no unexpected work in progress, and has logged no errors. */
  async #expectHealth(): Promise<void> {
    using client = this.client();
    expect((await client.request('GET', '/readyz')).body).toBe('ok');
    const written = await client.request('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'well' } });
    expect(written.status).toBe(201);
    expect(await settled(() => this.watches(), 0)).toBe(0);
    const { stderr } = this.#started;
    const news = stderr.slice(this.#logged);
    this.#logged = stderr.length;
    // A line of the start may arrive after the server is ready.
    const ofStart = /unable to initialize cluster.*storage is \(re\)initializing/;
    const faults = news.split('\n').filter((line) => /^E|panic|bug|Unhandled/.test(line) && !ofStart.test(line));
    expect(faults).toEqual([]);
  }
}

/** The result of `read` once it equals `wanted`, or after ten seconds. */
async function settled(read: () => Promise<number>, wanted: number): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    const value = await read();
    if (value === wanted || attempt === 100) return value;
    await sleep(100);
  }
}
