import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { configMaps, installResources, widgets } from '../watch/resources.ts';

/** A built-in kind and a custom one: a verb has the same responses for both. */
export const kinds = [configMaps, widgets] as const;

/** A refusal as clients see it. */
export interface Refusal {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message: string;
  readonly details?: unknown;
}

/** A server with objects `a` and `b` of both kinds, and a connection to it. */
export class ServedKinds implements AsyncDisposable {
  readonly client: AdminClient;
  readonly #server: ApiServer;

  private constructor(server: ApiServer) {
    this.#server = server;
    this.client = new AdminClient(server.kubeconfig);
  }

  static async start(args: readonly string[] = []): Promise<ServedKinds> {
    const served = new ServedKinds(await startApiServer({ args }));
    await installResources(served.client);
    for (const { path, apiVersion, kind } of kinds) {
      for (const name of ['a', 'b']) {
        const metadata = { name, labels: { name } };
        await served.client.request('POST', path, { apiVersion, kind, metadata, data: { k: 'v' } });
      }
    }
    return served;
  }

  get url(): string {
    return this.#server.url;
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig;
  }

  /** The response to a request that cannot be served. */
  async refusal(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Refusal> {
    const response = await this.client.request(method, path, body, headers);
    const status = JSON.parse(response.body);
    if (status.kind !== 'Status' || status.code !== response.status) {
      throw new Error(`${response.status} ${response.body}`);
    }
    const { code, reason, message, details } = status;
    return { code, reason, message, details };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}
