import { type RunningKubeApiserver, startKubeApiserver } from '@apiserver/kube-apiserver';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';

/** An object as tests read it. */
export interface AnyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string; readonly name: string }[];
  };
  readonly [field: string]: unknown;
}

/** Conditions of a status, as `type status reason: message`. */
export function conditionTexts(object: AnyObject | undefined): readonly string[] {
  const { conditions = [] } = Object(object?.['status']);
  return conditions.map(
    ({ type, status, reason = '', message }: Record<string, string>) => `${type} ${status} ${reason}: ${message}`,
  );
}

/** A server in this process with controllers, in memory, and its administrator. */
export class ControllerServer implements AsyncDisposable {
  readonly #server: RunningKubeApiserver;
  readonly #folder: ReturnType<typeof temporaryDirectory>;
  readonly #client: AdminClient;

  constructor(server: RunningKubeApiserver, folder: ReturnType<typeof temporaryDirectory>) {
    this.#server = server;
    this.#folder = folder;
    this.#client = new AdminClient(server.kubeconfigPath ?? '');
  }

  /** The object at a path; undefined if there is none. */
  async get(path: string): Promise<AnyObject | undefined> {
    const { status, body } = await this.#client.request('GET', path);
    if (status === 404) return undefined;
    return this.#checked('GET', path, { status, body });
  }

  async list(path: string): Promise<readonly AnyObject[]> {
    const { items = [] }: { items?: readonly AnyObject[] } = Object(await this.get(path));
    return items;
  }

  async create(path: string, object: object): Promise<AnyObject> {
    return this.#checked('POST', path, await this.#client.request('POST', path, object));
  }

  async patch(path: string, patch: object): Promise<AnyObject> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return this.#checked('PATCH', path, await this.#client.request('PATCH', path, patch, headers));
  }

  /** `policy`: Background, Foreground or Orphan. */
  async delete(path: string, policy?: string): Promise<void> {
    const options = policy === undefined ? undefined : { propagationPolicy: policy };
    this.#checked('DELETE', path, await this.#client.request('DELETE', path, options));
  }

  async read(path: string): Promise<string> {
    return (await this.#client.request('GET', path)).body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.#server.stop();
    this.#folder[Symbol.dispose]();
  }

  #checked(
    method: string,
    path: string,
    { status, body }: { readonly status: number; readonly body: string },
  ): AnyObject {
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${body}`);
    return JSON.parse(body);
  }
}

/** Starts a server with these controllers, `*` by default. */
export async function startControllerServer(
  controllers = '*',
  flags: readonly string[] = [],
): Promise<ControllerServer> {
  using stack = new DisposableStack();
  const folder = stack.use(temporaryDirectory('controllers'));
  const server = await startKubeApiserver({
    dataDirectory: folder.path,
    storageBackend: 'memory',
    flags: [`--controllers=${controllers}`, ...flags],
  });
  stack.move();
  return new ControllerServer(server, folder);
}
