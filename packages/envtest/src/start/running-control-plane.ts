import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { GenericServerConfig } from '@apiserver/generic-server';
import type { RunningKubeApiserver } from '@apiserver/kube-apiserver';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { MemoryStore } from '@apiserver/registry-store/memory';
import type { Faults, OwnRequests, PlaneClock, PlaneRequest, RequestFilter, Requests } from '@apiserver/test-powers';
import { ControlPlaneError, PlaneSnapshot } from '@apiserver/test-powers';
import type { ControlPlane, PlaneFaults, PlaneUser, WebhookServer } from '../control-plane.js';
import { checkUntil, type EventuallyOptions } from '../eventually/eventually.js';
import { findObject, type ObjectReference } from '../objects/find-object.js';
import { installDefinitions } from '../objects/install-definitions.js';
import { installObjects } from '../objects/install-objects.js';
import type { Manifests } from '../objects/manifest.js';
import { PlaneRequests } from '../objects/plane-requests.js';
import type { TemporaryFolder } from '../powers/temporary-folder.js';
import type { Credentials } from '../users/credentials.js';
import { type AccessedPlane, PlaneAccess } from '../users/plane-access.js';
import { requestToken } from '../users/service-account-token.js';
import type { TokenUsers } from '../users/token-users.js';
import { userCredentials } from '../users/user-credentials.js';
import type { ServiceAccountOptions, UserOptions } from '../users/user-options.js';
import type { WebhookTarget } from '../webhooks/local-webhooks.js';
import { LocalWebhookServer } from '../webhooks/webhook-server.js';
import { type PlaneManifests, readMixedManifests, withWebhookTarget } from './plane-manifests.js';

/** The server of a plane, and what of its config the plane uses. */
export interface RunningServer {
  readonly server: RunningKubeApiserver;
  readonly logger: Logger;
  readonly generic: Pick<GenericServerConfig, 'loopback' | 'now'>;
  readonly watched: KeyValueStore;
  /** Undefined if the test brought a store without snapshots. */
  readonly store: MemoryStore | undefined;
}

/** Everything that a plane is made of. */
export interface RunningControlPlaneContext extends RunningServer {
  readonly folder: TemporaryFolder;
  readonly clock: PlaneClock;
  readonly own: OwnRequests;
  readonly faults: Faults;
  readonly requests: Requests;
  /** Starts a plane with the same options, keys and users. */
  readonly fork: (snapshot: PlaneSnapshot) => Promise<ControlPlane>;
  /** `ca` and `admin`, as certificates and keys. */
  readonly certificates: { readonly path: string };
  readonly tokens: TokenUsers;
  readonly webhooks: LocalWebhookServer | WebhookTarget | undefined;
  /** Disposed with the plane. */
  readonly disposables: AsyncDisposableStack;
}

/** A plane whose server is ready. */
export class RunningControlPlane extends PlaneAccess implements ControlPlane {
  readonly url: string;
  readonly authority: string;
  readonly #context: RunningControlPlaneContext;
  readonly #plane: AccessedPlane;
  readonly #authority: KeyPair;
  readonly #administrator: Credentials;
  readonly #installer: PlaneRequests;
  #stopped: Promise<void> | undefined = undefined;

  constructor(context: RunningControlPlaneContext) {
    const { server, folder, certificates, logger, generic } = context;
    const authority = keyPairIn(certificates.path, 'ca');
    const administrator = { certificate: keyPairIn(certificates.path, 'admin') };
    const plane: AccessedPlane = {
      url: server.address,
      authority: authority.certificate,
      handler: generic.loopback.handler,
      logger,
      now: generic.now,
      folder,
      isStopped: () => this.#stopped !== undefined,
    };
    super('kubernetes-admin', plane, administrator);
    this.url = plane.url;
    this.authority = plane.authority;
    this.#context = context;
    this.#plane = plane;
    this.#authority = authority;
    this.#administrator = administrator;
    // The hand of the test is no client: it is not recorded, and no fault strikes it.
    const { fetch } = new PlaneAccess(
      this.name,
      { ...plane, handler: context.own.handler(plane.handler) },
      administrator,
    );
    this.#installer = new PlaneRequests(fetch);
  }

  get webhookServer(): WebhookServer {
    const { webhooks } = this.#context;
    if (webhooks instanceof LocalWebhookServer) return webhooks;
    throw new ControlPlaneError('the plane has no webhook server: start it with the option webhooks or webhookServer');
  }

  user(name: string, options: UserOptions = {}): PlaneUser {
    const credentials = userCredentials(name, options, {
      tokens: this.#context.tokens,
      authority: this.#authority,
      administrator: this.#administrator,
    });
    return new PlaneAccess(name, this.#plane, credentials);
  }

  async serviceAccount(namespace: string, name: string, options: ServiceAccountOptions = {}): Promise<PlaneUser> {
    this.#checkRunning();
    const token = await requestToken(this.#installer, { namespace, name }, options);
    return new PlaneAccess(`system:serviceaccount:${namespace}:${name}`, this.#plane, { token });
  }

  async install(manifests: Manifests): Promise<readonly KubeObject[]> {
    this.#checkRunning();
    return this.installAll(readMixedManifests(manifests));
  }

  /** Definitions first, webhooks last, so that these see no object of the test's preparation. */
  async installAll(manifests: PlaneManifests): Promise<readonly KubeObject[]> {
    const { definitions, objects, webhooks } = withWebhookTarget(manifests, this.#context.webhooks);
    return [
      ...(await installDefinitions(this.#installer, definitions)),
      ...(await installObjects(this.#installer, objects)),
      ...(await installObjects(this.#installer, webhooks)),
    ];
  }

  get faults(): PlaneFaults {
    return this.#context.faults;
  }

  requests(filter?: RequestFilter): readonly PlaneRequest[] {
    return this.#context.requests.list(filter);
  }

  get droppedRequests(): number {
    return this.#context.requests.dropped;
  }

  clearRequests(): void {
    this.#context.requests.clear();
  }

  async find(reference: ObjectReference): Promise<KubeObject | undefined> {
    this.#checkRunning();
    return findObject(this.#installer, reference);
  }

  eventually<T>(check: () => T | Promise<T>, options?: EventuallyOptions): Promise<T> {
    const { watched, requests } = this.#context;
    return checkUntil(check, { store: watched, requests }, options);
  }

  get clock(): PlaneClock {
    return this.#context.clock;
  }

  snapshot(): PlaneSnapshot {
    return new PlaneSnapshot(this.#store().snapshot());
  }

  async restore(snapshot: PlaneSnapshot): Promise<void> {
    await this.#store().restore(snapshot.store);
  }

  async fork(): Promise<ControlPlane> {
    return await this.#context.fork(this.snapshot());
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#context.disposables.disposeAsync();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #checkRunning(): void {
    if (this.#stopped !== undefined) throw new ControlPlaneError('the control plane has ended');
  }

  #store(): MemoryStore {
    this.#checkRunning();
    const { store } = this.#context;
    if (store === undefined) throw new ControlPlaneError('the store of the option "storage" has no snapshots');
    return store;
  }
}

interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

function keyPairIn(folder: string, name: string): KeyPair {
  return {
    certificate: readFileSync(join(folder, `${name}.crt`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  };
}
