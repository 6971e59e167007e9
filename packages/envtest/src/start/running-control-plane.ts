import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@apiserver/apiserver-contracts';
import { type Fetch, type GenericServerConfig, toFetch } from '@apiserver/generic-server';
import type { RunningKubeApiserver } from '@apiserver/kube-apiserver';
import type { ControlPlane } from '../control-plane.js';
import { ControlPlaneError } from '../control-plane-error.js';
import type { TemporaryFolder } from './temporary-folder.js';

/** The server of a plane, and what the plane disposes after it. */
export interface RunningControlPlaneContext {
  readonly server: RunningKubeApiserver;
  readonly folder: TemporaryFolder;
  readonly logger: Logger;
  readonly generic: Pick<GenericServerConfig, 'loopback' | 'now'>;
  readonly stopPowers: () => Promise<void> | void;
}

/** A plane whose server is ready. */
export class RunningControlPlane implements ControlPlane {
  readonly url: string;
  readonly fetch: Fetch;
  readonly #context: RunningControlPlaneContext;
  #stopped: Promise<void> | undefined = undefined;

  constructor(context: RunningControlPlaneContext) {
    const { server, folder, logger, generic } = context;
    this.#context = context;
    this.url = server.address;
    const certificate = readFileSync(join(folder.path, 'pki', 'admin.crt'), 'utf8');
    this.fetch = toFetch(generic.loopback.handler, { logger, now: generic.now, certificate });
  }

  get kubeconfig(): string {
    return readFileSync(this.kubeconfigFile(), 'utf8');
  }

  kubeconfigFile(): string {
    if (this.#stopped !== undefined) throw new ControlPlaneError('the control plane has ended, and so have its files');
    const { kubeconfigPath } = this.#context.server;
    if (kubeconfigPath === undefined)
      throw new ControlPlaneError('the administrator has no kubeconfig: --client-ca-file');
    return kubeconfigPath;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { server, folder, stopPowers } = this.#context;
    try {
      await stopPowers();
    } finally {
      await server.stop().finally(() => folder[Symbol.dispose]());
    }
  }
}
