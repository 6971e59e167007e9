import type { GroupVersion, GroupVersionKind } from '@apiserver/apimachinery';
import { Deadlines } from '@apiserver/apimachinery/clock';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AdmissionChain,
  APIGroupInfo,
  Authorizer,
  Exchange,
  Handler,
  Logger,
  RequestInfo,
} from '@apiserver/apiserver-contracts';
import { splitPath } from '../request-info.js';
import { respondError } from '../responses/respond-error.js';
import type { Cbor } from '../scope/cbor.js';
import { ChunkMemory } from '../scope/chunk-memory.js';
import { type EndpointMetrics, noEndpointMetrics } from '../scope/endpoint-metrics.js';
import type { ParseLargeYaml } from '../scope/handler-environment.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import { createCodecCache } from './create-scope.js';
import type { Endpoint } from './endpoint.js';
import { type EndpointFactory, endpointsOf } from './endpoints-of.js';
import { RouteTable } from './route-table.js';

/** What the verb handlers of a container need; limits and times have upstream's defaults. */
export interface ApiContainerOptions {
  readonly admission: AdmissionChain;
  /** Asked for `create` when an update or a patch would make an object that does not exist. */
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /**
   * Compiles a kind; memoised by who passes it in, so that endpoints and storage share one codec per kind.
   * Default: a cache of the container's own.
   */
  readonly codecFor?: (schema: KindSchema) => KindCodec;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
  /** In [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /**
   * `@apiserver/apimachinery/codec/cbor`, to serve and take CBOR as well. Default: neither.
   * Upstream feature gate: CBORServingAndStorage
   */
  readonly cbor?: Cbor | undefined;
  /** See HandlerEnvironment. Default: YAML is parsed in place. */
  readonly parseLargeYaml?: ParseLargeYaml | undefined;
  /** See HandlerEnvironment. Default: false. */
  readonly unsafeDeletion?: boolean;
  /** Largest request body in bytes; above it a 413. Default 3 MiB. Upstream flag: none (MaxRequestBodyBytes). */
  readonly maxRequestBodyBytes?: number;
  /**
   * Seconds that a watch without timeoutSeconds lives at least; it ends at random before twice that, so that clients
   * spread. Default 1800. Upstream flag: --min-request-timeout
   */
  readonly minRequestTimeoutSeconds?: number;
  /**
   * Bytes that a watch may have queued for a client that does not read, before it is cut off. Default 4 MiB: more than
   * the largest object.
   */
  readonly maxWatchBufferBytes?: number;
  /** Default: nothing is counted. */
  readonly metrics?: EndpointMetrics;
  /**
   * The documentation of a field, by OpenAPI definition and field name, for the columns of Tables that are described by
   * it; "" when there is none. Default: no documentation.
   */
  readonly fieldDescription?: (definition: string, field: string) => string;
}

/**
 * The API groups of a server: installs them as routes and finds the handler of a request by one look-up. Groups come and
 * go at run time.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/installer.go and the go-restful container behind it
 */
export interface ApiContainer {
  /**
   * Serves the resources of `info` from now on, beside what is already installed for the group.
   * Throws when a resource is already served in one of the versions. Answers a function that takes exactly these off.
   */
  install(info: APIGroupInfo): () => void;
  /** Takes a whole group version off; does nothing when it is not there. */
  uninstall(group: string, version: string): void;
  /**
   * The handler of an exchange whose context has its RequestInfo, or undefined when the path is none of this container's
   * resources and another server may know it: another API group, a path that is no API, a discovery document. What lies
   * below an installed group and does not exist is answered here: 404, or 405 for a method that the path does not have.
   */
  handlerFor(exchange: Exchange): Handler | undefined;
  /** What is installed, in order of installation, versions of a group in order of preference. */
  groupVersions(): readonly GroupVersion[];
  /** What was given to `install` and is still there; of partly uninstalled groups what is left. */
  installed(): readonly APIGroupInfo[];
  /** Calls `listener` after every install and uninstall. Answers a function that takes it off. */
  onChange(listener: () => void): () => void;
}

/** What one call of `install` has put there. */
interface Installation {
  readonly info: APIGroupInfo;
  endpoints: readonly Endpoint[];
}

/** Makes a container in which nothing is installed yet. */
export function createApiContainer(options: ApiContainerOptions): ApiContainer {
  return new RoutingContainer(options);
}

class RoutingContainer implements ApiContainer {
  readonly #routes = new RouteTable();
  readonly #installations = new Set<Installation>();
  readonly #listeners = new Set<() => void>();
  readonly #factory: EndpointFactory;
  readonly #notFound: Handler;

  constructor(options: ApiContainerOptions) {
    const knowsKind = (kind: GroupVersionKind) => this.#knowsKind(kind);
    this.#factory = {
      environment: { ...defaults, ...options, knowsKind, deadlines: new Deadlines(), chunkMemory: new ChunkMemory() },
      codecFor: options.codecFor ?? createCodecCache(),
    };
    this.#notFound = (exchange) => respondError(exchange, newGenericServerResponse({ code: 404 }), options.logger);
  }

  install(info: APIGroupInfo): () => void {
    const installation: Installation = { info, endpoints: endpointsOf(info, this.#factory) };
    const added: Endpoint[] = [];
    try {
      for (const endpoint of installation.endpoints) {
        this.#routes.add(endpoint);
        added.push(endpoint);
      }
    } catch (error) {
      for (const endpoint of added) this.#routes.remove(endpoint);
      throw error;
    }
    this.#installations.add(installation);
    this.#changed();
    return () => {
      if (this.#takeOff(installation, () => true)) this.#changed();
    };
  }

  uninstall(group: string, version: string): void {
    const ofVersion = ({ scope: { resource } }: Endpoint) => resource.group === group && resource.version === version;
    const taken = [...this.#installations].map((installation) => this.#takeOff(installation, ofVersion));
    if (taken.includes(true)) this.#changed();
  }

  handlerFor(exchange: Exchange): Handler | undefined {
    const info = exchange.context.requestInfo;
    if (info === undefined) return undefined;
    if (!info.isResourceRequest) return this.#isUnknownVersion(info.path) ? this.#notFound : undefined;
    if (!this.#routes.hasGroup(info.apiGroup) || !isBelowApi(info)) return undefined;
    const found = (this.#routes.find(info) ?? this.#resourceOf(info))?.handlerFor(exchange, info);
    return found ?? (this.#leavesUnknownPaths(info.apiGroup) ? undefined : this.#notFound);
  }

  groupVersions(): readonly GroupVersion[] {
    return this.#routes.groupVersions();
  }

  installed(): readonly APIGroupInfo[] {
    return [...this.#installations].map(({ info, endpoints }) => {
      const served = new Set(endpoints.map(({ scope }) => scope.resource.version));
      return { ...info, versions: info.versions.filter((version) => served.has(version)) };
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether anything of the installation was there to be taken off. */
  #takeOff(installation: Installation, which: (endpoint: Endpoint) => boolean): boolean {
    const leaving = installation.endpoints.filter(which);
    for (const endpoint of leaving) this.#routes.remove(endpoint);
    installation.endpoints = installation.endpoints.filter((endpoint) => !which(endpoint));
    if (installation.endpoints.length === 0) this.#installations.delete(installation);
    return leaving.length > 0;
  }

  /** Whether a path that is no resource's names a version that an installed group does not have. */
  #isUnknownVersion(path: string): boolean {
    const [prefix, ...rest] = splitPath(path);
    const [group, version] = prefix === 'apis' ? rest : ['', rest[0]];
    if ((prefix !== 'api' && prefix !== 'apis') || group === undefined || version === undefined) return false;
    if (!this.#routes.hasGroup(group) || this.#routes.hasVersion({ group, version })) return false;
    return !this.#leavesUnknownPaths(group);
  }

  /** Whether paths of a group that it does not have are left to the next server. */
  #leavesUnknownPaths(group: string): boolean {
    return [...this.#installations]
      .filter(({ info }) => info.group === group)
      .flatMap(({ info }) => info.resources)
      .every(({ definition }) => resourcePolicyOf(definition).routing.leavesUnknownPaths);
  }

  /** The resource that answers for a subresource that it does not have. */
  #resourceOf(info: RequestInfo): Endpoint | undefined {
    const endpoint = info.subresource === '' ? undefined : this.#routes.find({ ...info, subresource: '' });
    return endpoint?.scope.resourcePolicy.routing.answersUnknownSubresources ? endpoint : undefined;
  }

  #knowsKind({ group, version, kind }: GroupVersionKind): boolean {
    return [...this.#installations].some(({ endpoints }) =>
      endpoints.some(
        ({ scope }) => scope.kind.group === group && scope.kind.version === version && scope.kind.kind === kind,
      ),
    );
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const SLASH = 0x2f;

/** Whether a path begins as those of its group do: with slashes too many there it is nobody's. */
function isBelowApi({ path, apiGroup, apiPrefix }: RequestInfo): boolean {
  return path.charCodeAt(1) !== SLASH && (apiGroup !== '' || apiPrefix !== 'apis');
}

const defaults = {
  now: Date.now,
  random: Math.random,
  unsafeDeletion: false,
  maxRequestBodyBytes: 3 * 1024 * 1024,
  minRequestTimeoutSeconds: 1800,
  maxWatchBufferBytes: 4 * 1024 * 1024,
  metrics: noEndpointMetrics,
  fieldDescription: () => '',
};
