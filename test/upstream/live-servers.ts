import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterAll, beforeAll, describe } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { freePort } from '../harness/free-port.ts';
import { type SentReview, startFakeWebhook, type Verdict } from '../webhooks/fake-webhook.ts';
import { compileUpstream, upstreamFolder } from './upstream-folder.ts';

/** A request over HTTP/2. */
export interface LiveRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface LiveResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the client gave up waiting for the end. */
  readonly isCut: boolean;
}

/** A client waits for this time for more of a watch: longer than the watches of one second last. */
const QUIET_MS = 1_500;
/** The same for other responses. */
const STALLED_MS = 30_000;
export const START_DEADLINE_MS = 10 * 60_000;

/** Requests that a server gets at the same time. */
const MAX_REQUESTS = 50;
/** A server closes the connection of a client that it does not know, also under other requests. */
const MAX_ATTEMPTS = 20;

/** One of the two servers. */
export class LiveServer implements Disposable {
  readonly #url: string;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a request. The client ends a response that is silent for a while after it has begun. */
  async send(request: LiveRequest): Promise<LiveResponse> {
    if (this.#running >= MAX_REQUESTS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await this.#attempt(request, MAX_ATTEMPTS);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #attempt(request: LiveRequest, left: number): Promise<LiveResponse> {
    const session = this.#connected();
    try {
      return await respond(session, request);
    } catch (error) {
      if (left <= 1 || /PROTOCOL_ERROR|ended with 1$/.test(String(error))) throw error;
      if (this.#session === session) this.#session = undefined;
      session.close();
      return this.#attempt(request, left - 1);
    }
  }

  #connected(): ClientHttp2Session {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.#url, { rejectUnauthorized: false });
    session.on('error', () => {});
    session.on('goaway', () => {
      if (this.#session === session) this.#session = undefined;
    });
    this.#session = session;
    return session;
  }

  /** Sends an object as the administrator, and returns the response. Throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read single members of objects
  async make(method: string, path: string, object?: object, type = 'application/json'): Promise<any> {
    const headers = { authorization: 'Bearer admin', 'content-type': type };
    const body = object && JSON.stringify(object);
    const response = await this.send({ method, path, headers, ...(body !== undefined && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
    return JSON.parse(response.body.toString());
  }

  [Symbol.dispose](): void {
    this.#session?.destroy();
  }
}

async function respond(
  session: ClientHttp2Session,
  { method, path, headers, body }: LiveRequest,
): Promise<LiveResponse> {
  const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [responseHeaders] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  const chunks: Buffer[] = [];
  let isCut = false;
  const cut = () => {
    isCut = true;
    stream.close();
  };
  const patience = path.includes('watch') ? QUIET_MS : STALLED_MS;
  let timer = setTimeout(cut, patience);
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    clearTimeout(timer);
    timer = setTimeout(cut, patience);
  });
  await new Promise((resolve) => stream.once('close', resolve));
  clearTimeout(timer);
  if (stream.rstCode !== 0 && !isCut) throw new Error(`the stream ended with ${stream.rstCode}`);
  return { status: Number(responseHeaders[':status']), headers: responseHeaders, body: Buffer.concat(chunks), isCut };
}

/** Both servers. */
export interface LiveServers {
  /** Folders of their files. */
  readonly folders: { readonly theirs: string; readonly ours: string };
  readonly theirs: LiveServer;
  readonly ours: LiveServer;
}

/** Settings of both servers. */
export interface LiveOptions {
  /** Lines of the file of tokens. Default: admin, and alice without rights. */
  readonly tokens?: readonly string[];
  /** Answers of the webhook that both servers ask about accesses. Default: no opinion. */
  decide?(review: SentReview): Verdict;
  /** Flags that both have. */
  readonly flags?: readonly string[];
  /** Further flags of the server that keeps its files in this folder. */
  flagsIn?(folder: string): readonly string[];
}

/** Defines tests of both servers. They are skipped, with the reason, where upstream's server cannot be started. */
export function describeLive(name: string, options: LiveOptions, define: (servers: () => LiveServers) => void): void {
  const missing = modulesMissing(upstreamFolder);
  describe.skipIf(missing !== undefined)(`${name}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    const stack = new AsyncDisposableStack();
    let servers: LiveServers;
    beforeAll(async () => {
      servers = await startBoth(stack, options);
    }, START_DEADLINE_MS);
    afterAll(() => stack.disposeAsync());
    define(() => servers);
  });
}

async function startBoth(stack: AsyncDisposableStack, options: LiveOptions): Promise<LiveServers> {
  const { tokens = ['admin,admin,u-admin,system:masters', 'alice,alice,u-alice,dev'] } = options;
  const folder = stack.use(temporaryDirectory('live')).path;
  const tokenFile = join(folder, 'tokens.csv');
  writeFileSync(tokenFile, tokens.map((line) => `${line}\n`).join(''));
  const webhook = stack.use(await startFakeWebhook(options.decide ?? (() => ({ allowed: false }))));
  const common = [
    `--token-auth-file=${tokenFile}`,
    `--authorization-webhook-config-file=${webhook.kubeconfig()}`,
    '--bind-address=127.0.0.1',
    ...(options.flags ?? []),
  ];
  const folders = { theirs: join(folder, 'their-files'), ours: join(folder, 'our-files') };
  for (const one of Object.values(folders)) mkdirSync(one);
  const theirs = await startUpstream(stack, folder, [...common, ...(options.flagsIn?.(folders.theirs) ?? [])]);
  const ours = stack.use(
    await startKubeApiserver({
      dataDirectory: join(folder, 'ours'),
      storageBackend: 'memory',
      flags: [
        ...common,
        ...(options.flagsIn?.(folders.ours) ?? []),
        '--authorization-mode=Webhook',
        '--authorization-webhook-version=v1',
        '--enable-priority-and-fairness=false',
        '--anonymous-auth=true',
      ],
    }),
  );
  return { folders, theirs: stack.use(new LiveServer(theirs)), ours: stack.use(new LiveServer(ours.address)) };
}

/** Compiles and starts a server of upstream's modules, and returns its URL when it is ready. */
export async function startUpstream(
  stack: AsyncDisposableStack,
  folder: string,
  flags: readonly string[],
  name: 'live' | 'aggregator' | 'chain' = 'live',
): Promise<string> {
  const program = compileUpstream(name, folder);
  const port = await freePort();
  const own = [
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    `--etcd-data-dir=${join(folder, 'etcd')}`,
  ];
  const child = spawn(program, [...own, ...flags], { stdio: ['pipe', 'ignore', 'pipe'] });
  let log = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    log = `${log}${line}\n`.slice(-8_000);
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  });
  const url = `https://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(log);
    if (await isReady(url)) return url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function isReady(url: string): Promise<boolean> {
  const session = connect(url, { rejectUnauthorized: false });
  try {
    await once(session, 'connect');
    const stream = session.request({ ':path': '/readyz', authorization: 'Bearer admin' });
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    return Number(headers[':status']) === 200;
  } catch {
    return false;
  } finally {
    session.destroy();
  }
}
