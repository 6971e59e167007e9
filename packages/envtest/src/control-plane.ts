import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { Fetch } from '@apiserver/generic-server';
import type { KubeApiServerConfig } from '@apiserver/kube-apiserver';
import type { KeyValueStore } from '@apiserver/registry-store';
import type {
  ClockSetting,
  Faults,
  PlaneClock,
  PlaneRequest,
  PlaneSnapshot,
  RequestFilter,
} from '@apiserver/test-powers';
import type { ClientOptions, KubeConfigLike } from './client/client-node.js';
import type { EventuallyOptions } from './eventually/eventually.js';
import type { ObjectReference } from './objects/find-object.js';
import type { Manifests } from './objects/manifest.js';
import type { ServiceAccountOptions, UserOptions } from './users/user-options.js';
import type { WebhookTarget } from './webhooks/local-webhooks.js';

/** A handler of node:http, such as an express app. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Options of a control plane. An option that is not listed here is refused. */
export interface ControlPlaneOptions {
  /** CustomResourceDefinitions. The plane is ready when each is established, in discovery and in OpenAPI. */
  readonly crds?: Manifests;
  /** Objects of any kind, created in their order behind the definitions. One that exists already is replaced. */
  readonly objects?: Manifests;
  /**
   * Mutating and validating webhook configurations, created last. A service in them, or in the conversion of a
   * definition, becomes the plane's webhook server.
   */
  readonly webhooks?: Manifests;
  /** The handler of webhooks, or where they are served. Default: a server that waits for `webhookServer.serve`. */
  readonly webhookServer?: RequestListener | WebhookTarget;
  /**
   * Controllers that run beside the API, as the flag `--controllers` takes them: `['*',
   * '-garbage-collector-controller']`; `[]` for none. Default: `['*']`.
   */
  readonly controllers?: readonly string[];
  /** Further flags of the server, as on the command line: `['--feature-gates=HPAScaleToZero=true']`. Default: none. */
  readonly flags?: readonly string[];
  /** Where objects are kept. The plane disposes it. Default: in memory. */
  readonly storage?: KeyValueStore;
  /** The time of the plane: the machine's, which is the default, held where it stands, or held at a date. */
  readonly clock?: ClockSetting;
  /** The objects to begin with. Default: those of every new server. */
  readonly from?: PlaneSnapshot;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Changes the config of the server before it is made: filters, admission, groups in code. */
  readonly configure?: (config: KubeApiServerConfig) => Promise<void> | void;
}

/** The access of one user to a plane. It ends with the plane. */
export interface PlaneUser {
  readonly name: string;
  /** As text, with everything embedded. */
  readonly kubeconfig: string;
  /** The path of a file with `kubeconfig`. It is removed with the plane. */
  kubeconfigFile(): string;
  /** The bearer token of a user that has one. */
  readonly token: string | undefined;
  /**
   * A `fetch` as this user, without a socket: the full chain of the server. A path alone is a URL:
   * `plane.fetch('/api/v1/namespaces')`. Rejects with a ControlPlaneError once the plane is stopped.
   */
  readonly fetch: Fetch;
  /**
   * A client of @kubernetes/client-node, which must be installed: `plane.client(CoreV1Api)`. Without a socket, unless
   * the options say otherwise. Throws a ControlPlaneError.
   */
  client<T>(api: new (config: never) => T, options?: ClientOptions): T;
  /** A KubeConfig for watches and informers of @kubernetes/client-node: `plane.kubeConfig(KubeConfig)`. */
  kubeConfig<K extends KubeConfigLike>(KubeConfig: new () => K, options?: ClientOptions): K;
}

/** The server of a plane's webhooks. It listens from the start of the plane on, on a port of its own. */
export interface WebhookServer extends WebhookTarget {
  /** PEM of the serving certificate and its key. */
  readonly certificate: string;
  readonly key: string;
  /** A folder with `tls.crt`, `tls.key` and `ca.crt`, which is removed with the plane. */
  certificateFolder(): string;
  /** Handles all webhooks from now on: an express app, or any function of node:http. */
  serve(handler: RequestListener): void;
}

/** The faults of a plane: rules that strike requests of clients, each with its own counters. */
export type PlaneFaults = Pick<Faults, 'add' | 'remove' | 'clear' | 'list'>;

/** A running Kubernetes API server and the powers of a test over it. The access is the administrator's. */
export interface ControlPlane extends PlaneUser, AsyncDisposable {
  /** `https://127.0.0.1:40123` */
  readonly url: string;
  /** PEM: the authority of the server's certificate. */
  readonly authority: string;
  /** Throws a ControlPlaneError for a plane without webhooks, or with a server of the test's own. */
  readonly webhookServer: WebhookServer;
  /**
   * Another user, without any rights but those of its groups. Throws a ControlPlaneError for `extra` by certificate.
   */
  user(name: string, options?: UserOptions): PlaneUser;
  /** A service account with a token of its own. It is created if it does not exist; its namespace must. */
  serviceAccount(namespace: string, name: string, options?: ServiceAccountOptions): Promise<PlaneUser>;
  /** Creates objects as the option `objects` does, and definitions as `crds`. Resolves with the stored objects. */
  install(manifests: Manifests): Promise<readonly KubeObject[]>;
  /** The time of leases, of expiry, and of what the server writes. */
  readonly clock: PlaneClock;
  /**
   * Breaks requests: `plane.faults.add({ verb: 'update', resource: 'pods/status', times: 2, response: conflict() })`.
   * The first rule that strikes counts. Requests of the plane to itself are never struck, and a fork begins without
   * rules.
   */
  readonly faults: PlaneFaults;
  /**
   * The requests since the plane was ready that a filter selects, the oldest first: `plane.requests({ verb: 'list' })`.
   * The newest 1,000 are kept, with at most 8 MiB of bodies. Throws a ControlPlaneError for an unknown field.
   */
  requests(filter?: RequestFilter): readonly PlaneRequest[];
  /**
   * Repeats a check until it returns, and resolves with the result. It is repeated upon each change of the plane and a
   * few times after it, not by polling. A check that throws, or returns false, has failed. Throws a ControlPlaneError,
   * with the last failure as its cause.
   */
  eventually<T>(check: () => T | Promise<T>, options?: EventuallyOptions): Promise<T>;
  /** The object as it is stored now, by kind, name and namespace (default: `default`); undefined if there is none. */
  find(reference: ObjectReference): Promise<KubeObject | undefined>;
  /** The number of requests that are not kept any more. */
  readonly droppedRequests: number;
  /** Forgets the requests until now. Their numbers go on. */
  clearRequests(): void;
  /** Everything that was acknowledged before the call. It costs about a microsecond per 256 objects. */
  snapshot(): PlaneSnapshot;
  /**
   * Returns all objects to a snapshot of this or another plane, with their resourceVersions and remaining times to
   * live. The next resourceVersion is higher than every earlier one. Watches of clients end with 410, and begin again
   * with a list.
   */
  restore(snapshot: PlaneSnapshot): Promise<void>;
  /**
   * Starts a plane with the same options, keys, users, objects and time. Neither sees what the other does from now on.
   * Its webhooks are those of this plane's webhook server.
   */
  fork(): Promise<ControlPlane>;
  /** Ends the plane in order, and removes its files. Idempotent. */
  stop(): Promise<void>;
}
