import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { type Fetch, toFetch } from '@apiserver/generic-server';
import { ControlPlaneError } from '@apiserver/test-powers';
import { type ClientOptions, clientOf, type KubeConfigLike, kubeConfigOf } from '../client/client-node.js';
import type { PlaneUser } from '../control-plane.js';
import { type Credentials, headersOf } from './credentials.js';
import { type KubeconfigCluster, userKubeconfig } from './user-kubeconfig.js';

/** The plane that users have access to. */
export interface AccessedPlane extends KubeconfigCluster {
  readonly handler: Handler;
  readonly logger: Logger;
  readonly now: () => number;
  /** A folder for kubeconfigs. */
  readonly folder: { readonly path: string };
  readonly isStopped: () => boolean;
}

/** One user's access to a plane. */
export class PlaneAccess implements PlaneUser {
  readonly name: string;
  readonly fetch: Fetch = (...request) => this.#fetch(...request);
  readonly token: string | undefined;
  readonly impersonatesGroups: boolean;
  readonly #plane: AccessedPlane;
  readonly #credentials: Credentials;
  readonly #served: Fetch;
  #kubeconfig: string | undefined = undefined;
  #file: string | undefined = undefined;

  constructor(name: string, plane: AccessedPlane, credentials: Credentials) {
    const { handler, logger, now } = plane;
    const { certificate, token, impersonated } = credentials;
    this.name = name;
    this.token = token;
    this.impersonatesGroups = impersonated !== undefined && hasMore(impersonated);
    this.#served = toFetch(handler, {
      logger,
      now,
      headers: headersOf(credentials),
      ...(certificate && { certificate: certificate.certificate }),
    });
    this.#plane = plane;
    this.#credentials = credentials;
  }

  get kubeconfig(): string {
    this.#kubeconfig ??= userKubeconfig(this.name, this.#plane, this.#credentials);
    return this.#kubeconfig;
  }

  /** As a client of a port that nobody listens on any more. */
  async #fetch(...request: Parameters<Fetch>): ReturnType<Fetch> {
    if (this.#plane.isStopped()) throw new ControlPlaneError('the control plane has ended');
    return await this.#served(...request);
  }

  kubeconfigFile(): string {
    if (this.#plane.isStopped()) throw new ControlPlaneError('the control plane has ended, and so have its files');
    if (this.#file === undefined) {
      this.#file = join(mkdtempSync(join(this.#plane.folder.path, 'user-')), 'kubeconfig');
      writeFileSync(this.#file, this.kubeconfig, { mode: 0o600 });
    }
    return this.#file;
  }

  client<T>(api: new (config: never) => T, options?: ClientOptions): T {
    return clientOf(this, api, options);
  }

  kubeConfig<K extends KubeConfigLike>(KubeConfig: new () => K, options?: ClientOptions): K {
    return kubeConfigOf(this, KubeConfig, options);
  }
}

function hasMore({ groups, uid, extra }: NonNullable<Credentials['impersonated']>): boolean {
  return groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0;
}
