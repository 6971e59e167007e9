import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { type ApiServer, deadline } from '../harness/api-server.ts';

/** Undefined when the variable names a program that can be run, else why the tests that need it are skipped. */
export function programMissing(variable: string): string | undefined {
  const path = process.env[variable];
  if (path === undefined || path === '') return `${variable} names no program`;
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return `${variable} names ${path}, which cannot be run`;
  }
}

/** Flags of a control plane program about its server; the same for all of them. */
function commonFlags({ kubeconfig }: ApiServer, folder: string): readonly string[] {
  return [
    ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
    '--leader-elect=true',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    `--cert-dir=${folder}`,
  ];
}

/** A kube-controller-manager or kube-scheduler against one server, until the scope ends. */
export class ControlPlaneProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #log = '';

  constructor(variable: string, server: ApiServer, folder: string, flags: readonly string[] = []) {
    const arguments_ = [...commonFlags(server, folder), ...flags];
    this.#child = spawn(process.env[variable] ?? '', arguments_, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    }
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Its log, the end of it. */
  get log(): string {
    return this.#log.split('\n').slice(-40).join('\n');
  }

  /** The kinds whose lists fail. */
  get failedLists(): readonly string[] {
    const failures = this.#log.matchAll(/failed to (?:list|watch) \*\w+\.(\w+): /g);
    return [...new Set(Array.from(failures, ([, kind]) => kind ?? ''))].sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) this.#child.kill('SIGTERM');
    await deadline(this.#ended, 30_000, () => `it does not end:\n${this.log}`);
  }
}

/** The server's keys, with which kube-controller-manager makes tokens and certificates. */
export function signingFlags({ dataDirectory }: ApiServer): readonly string[] {
  const pki = (name: string) => join(dataDirectory, 'pki', name);
  return [
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${pki('sa.key')}`,
    `--root-ca-file=${pki('ca.crt')}`,
    `--cluster-signing-cert-file=${pki('ca.crt')}`,
    `--cluster-signing-key-file=${pki('ca.key')}`,
  ];
}
