import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterAll, beforeAll, vi } from 'vitest';
import { AdminClient, type ClientResponse, type RequestHeaders } from '../harness/admin-client.ts';

/** The user who sends a request. */
interface Requester {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface Response {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: the response of a server is looked at member by member
  readonly body: any;
}

/** As every installer starts it. */
const DEFAULT_FLAGS = ['--authorization-mode=RBAC'];

/** The whole server as it is assembled by default, in this process and in memory, for one file of tests. */
export interface AssembledServer {
  /** Sends a request as the administrator, who impersonates the given user. */
  ask(method: string, path: string, body?: object, requester?: Requester): Promise<Response>;
  /** The same for the preparation of a test: throws unless it succeeds, and returns only the body. */
  // biome-ignore lint/suspicious/noExplicitAny: see Response
  make(path: string, body: object, method?: 'POST' | 'PUT' | 'PATCH'): Promise<any>;
  /** Repeats the request until the response has this code: informers follow a moment later. */
  until(code: number, look: () => Promise<Response>): Promise<void>;
  /** Sends a request as the administrator, and returns the response as it came. */
  askRaw(method: string, path: string, headers?: RequestHeaders): Promise<ClientResponse>;
  /**
   * Sends as many requests as possible, up to a number, over one connection without a certificate. Returns the number.
   */
  strangerRequests(most: number): Promise<number>;
  /** Sends a request with these headers alone, without the administrator's certificate. */
  askWith(headers: RequestHeaders, method: string, path: string): Promise<Response>;
}

/** Starts the server before the tests of the file that calls this, and ends it after them. */
export function assembledServer(...flags: string[]): AssembledServer {
  let running: AsyncDisposableStack;
  let client: AdminClient;
  let kubeconfig: string;
  beforeAll(async () => {
    running = new AsyncDisposableStack();
    const dataDirectory = mkdtempSync(join(tmpdir(), 'guards-'));
    running.defer(() => rmSync(dataDirectory, { recursive: true }));
    const server = running.use(
      await startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags: [...DEFAULT_FLAGS, ...flags] }),
    );
    kubeconfig = server.kubeconfigPath ?? '';
    client = running.use(new AdminClient(kubeconfig));
  });
  afterAll(() => running.disposeAsync());
  const ask: AssembledServer['ask'] = (method, path, body, requester) =>
    respond(client, { method, path, body, headers: requester && impersonating(requester) });
  return {
    ask,
    async make(path, body, method = 'POST') {
      const response = await ask(method, path, body);
      if (response.code >= 300) throw new Error(`${method} ${path}: ${response.code} ${response.body.message}`);
      return response.body;
    },
    async until(code, look) {
      await vi.waitFor(
        async () => {
          const response = await look();
          if (response.code !== code) throw new Error(`${response.code} ${response.body.message}`);
        },
        // The default of a second is short on a busy machine.
        { timeout: 30_000 },
      );
    },
    askRaw: (method, path, headers = {}) => client.request(method, path, undefined, headers),
    async strangerRequests(most) {
      using stranger = new AdminClient(kubeconfig, { isStranger: true });
      for (let sent = 0; sent < most; sent++) {
        const response = await stranger.request('GET', '/api').catch(() => undefined);
        if (response === undefined) return sent;
      }
      return most;
    },
    async askWith(headers, method, path) {
      // The server closes the connection of a client that it does not know.
      using stranger = new AdminClient(kubeconfig, { isStranger: true });
      return await respond(stranger, { method, path, body: undefined, headers });
    },
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly headers: RequestHeaders | undefined;
}

async function respond(client: AdminClient, { method, path, body, headers }: Sent): Promise<Response> {
  const patch = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const { status, body: text } = await client.request(method, path, body, { ...patch, ...headers });
  return { code: status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

function impersonating({ name, groups = ['system:authenticated'] }: Requester): RequestHeaders {
  return { 'impersonate-user': name, 'impersonate-group': [...groups] };
}
