import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
/** The program under test: the one that was built here, unless the environment names another. */
export const binary =
  process.env['KUBE_APISERVER_BINARY'] ?? join(repositoryRoot, 'packages/kube-apiserver/bin/kube-apiserver.js');

const startDeadlineMs = 60_000;
const stopDeadlineMs = 90_000;

export interface StartOptions {
  /** Kept by the caller; a temporary one that goes with the server when absent. */
  readonly dataDirectory?: string;
  readonly args?: readonly string[];
  /** Default 0: a free one. */
  readonly port?: number;
  /** The program to run; default: the one that was built here. */
  readonly binary?: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds until it has to be ready. Default 30 seconds. */
  readonly startDeadline?: number;
}

/** The end of a process, and its whole output. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary folder that goes away with the scope. */
export function temporaryDirectory(name: string): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), `${name}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs the binary to its end: for its output and its refusals. */
export async function runBinary(args: readonly string[], cwd = repositoryRoot): Promise<Ended> {
  return new ServerProcess(spawn(process.execPath, [binary, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }))
    .ended;
}

/** A real server in a process of its own, as `npm start` has it, on a free port of 127.0.0.1, ready to be used. */
export async function startApiServer(options: StartOptions = {}): Promise<ApiServer> {
  const temporary = options.dataDirectory === undefined ? temporaryDirectory('apiserver') : undefined;
  const dataDirectory = options.dataDirectory ?? join(temporary?.path ?? '', 'data');
  const args = [
    ...(options.nodeOptions ?? []),
    options.binary ?? binary,
    `--data-dir=${dataDirectory}`,
    `--secure-port=${options.port ?? 0}`,
    '--bind-address=127.0.0.1',
    ...(options.args ?? []),
  ];
  const env = { MALLOC_ARENA_MAX: '1', ...process.env, ...options.env };
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'], env });
  const server = new ApiServer(child, { ...options, dataDirectory }, temporary);
  try {
    await server.ready;
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

class ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }
}

export class ApiServer extends ServerProcess implements AsyncDisposable {
  readonly dataDirectory: string;
  readonly kubeconfig: string;
  /** Resolves when the server has said that it can be used. */
  readonly ready: Promise<void>;
  readonly #temporary: Disposable | undefined;

  constructor(
    child: ChildProcess,
    { dataDirectory, startDeadline }: StartOptions & { readonly dataDirectory: string },
    temporary: Disposable | undefined,
  ) {
    super(child);
    this.dataDirectory = dataDirectory;
    this.kubeconfig = join(dataDirectory, 'admin.kubeconfig');
    this.#temporary = temporary;
    this.ready = this.#waitUntilReady(startDeadline ?? startDeadlineMs);
  }

  /** `https://127.0.0.1:PORT` */
  get url(): string {
    const url = /https:\/\/\S+:\d+/.exec(this.stdout)?.[0];
    if (url === undefined) throw new Error(`no address in the server's output:\n${this.stdout}${this.stderr}`);
    return url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Sends a signal and returns how the process ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return deadline(this.ended, stopDeadlineMs, () => `the server does not end:\n${this.stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.stop('SIGKILL');
    this.#temporary?.[Symbol.dispose]();
  }

  async #waitUntilReady(milliseconds: number): Promise<void> {
    const printed = new Promise<void>((resolve) => {
      this.child.stdout?.on('data', () => {
        if (/kubectl --kubeconfig/.test(this.stdout) && existsSync(this.kubeconfig)) resolve();
      });
    });
    const died = this.ended.then(({ code, signal, stderr }) => {
      throw new Error(`the server ended with ${code ?? signal} before it was ready:\n${stderr}`);
    });
    died.catch(() => {});
    await deadline(
      Promise.race([printed, died]),
      milliseconds,
      () => `the server is not ready:\n${this.stdout}${this.stderr}`,
    );
  }
}

/** The promise's value, or an error with `message()` when it takes longer. */
export async function deadline<T>(promise: Promise<T>, milliseconds: number, message: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message())), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
