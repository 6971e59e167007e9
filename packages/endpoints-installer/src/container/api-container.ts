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
import { DEFAULT_FEATURES, type EndpointFeatures } from '../scope/endpoint-features.js';
import { type EndpointMetrics, noEndpointMetrics } from '../scope/endpoint-metrics.js';
import { EquivalentEndpoints } from '../scope/equivalent-endpoints.js';
import type { ParseLargeYaml } from '../scope/handler-environment.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import { createCodecCache } from './create-scope.js';
import type { Endpoint } from './endpoint.js';
import { type EndpointFactory, endpointsOf, type ResourceEndpoints } from './endpoints-of.js';
import { RouteTable } from './route-table.js';

/** Dependencies of the verb handlers of a container; limits and times have upstream's defaults. */
export interface ApiContainerOptions {
  readonly admission: AdmissionChain;
  /** Called for `create` if an update or a patch would create a missing object. */
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /**
   * Compiles a kind; memoised by the caller, so that endpoints and storage share one codec per kind. Default: a cache
   * of the container.
   */
  readonly codecFor?: (schema: KindSchema) => KindCodec;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
  /** In [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /**
   * `@apiserver/apimachinery/codec/cbor`, to support CBOR. Default: not supported. Upstream feature gate:
   * CBORServingAndStorage
   */
  readonly cbor?: Cbor | undefined;
  /** See HandlerEnvironment. Default: YAML is parsed in place. */
  readonly parseLargeYaml?: ParseLargeYaml | undefined;
  /** See HandlerEnvironment. Default: false. */
  readonly unsafeDeletion?: boolean;
  /** Default: upstream's. */
  readonly features?: Partial<EndpointFeatures>;
  /**
   * Maximum size of a request body in bytes; larger ones get a 413. Default 3 MiB. Upstream flag: none
   * (MaxRequestBodyBytes).
   */
  readonly maxRequestBodyBytes?: number;
  /**
   * Minimum duration in seconds of a watch without timeoutSeconds; it ends at random before twice that, to spread
   * reconnects. Default 1800. Upstream flag: --min-request-timeout
   */
  readonly minRequestTimeoutSeconds?: number;
  /**
   * Maximum number of bytes queued for a slow client of a watch before it is disconnected. Default 4 MiB: more than the
   * largest object.
   */
  readonly maxWatchBufferBytes?: number;
  /** Default: no metrics. */
  readonly metrics?: EndpointMetrics;
  /**
   * The documentation of a field, by OpenAPI definition and field name, for the columns of Tables; "" if there is none.
   * Default: no documentation.
   */
  readonly fieldDescription?: (definition: string, field: string) => string;
}

/**
 * The API groups of a server: installs them as routes and finds the handler of a request by one look-up. Groups can be
 * added and removed at run time.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/installer.go and the go-restful container behind it
 */
export interface ApiContainer {
  /**
   * Serves the resources of `info`, in addition to those already installed for the group. Throws if a resource is
   * already served in one of the versions. Returns a function that removes exactly these.
   */
  install(info: APIGroupInfo): () => void;
  /** Removes a whole group version; does nothing if it is absent. */
  uninstall(group: string, version: string): void;
  /**
   * The handler of an exchange whose context has its RequestInfo. Undefined for paths of other API groups, non-API
   * paths and discovery documents, which the next server handles. Unknown paths below an installed group are handled
   * here: 404, or 405 for a method that the path lacks.
   */
  handlerFor(exchange: Exchange): Handler | undefined;
  /** The installed group versions, in order of installation, versions of a group in order of preference. */
  groupVersions(): readonly GroupVersion[];
  /** The installed groups, without uninstalled resources. */
  installed(): readonly APIGroupInfo[];
  /** Calls `listener` after every install and uninstall. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** The effect of one call of `install`. */
interface Installation {
  readonly info: APIGroupInfo;
  resources: readonly ResourceEndpoints[];
}

/** Makes an empty container. */
export function createApiContainer(options: ApiContainerOptions): ApiContainer {
  return new RoutingContainer(options);
}

/** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
function notFoundHandler({ logger }: ApiContainerOptions): Handler {
  return (exchange) => respondError(exchange, newGenericServerResponse({ code: 404 }), logger);
}

class RoutingContainer implements ApiContainer {
  readonly #routes = new RouteTable();
  readonly #installations = new Set<Installation>();
  readonly #listeners = new Set<() => void>();
  readonly #equivalents = new EquivalentEndpoints();
  readonly #factory: EndpointFactory;
  readonly #notFound: Handler;
  /** Undefined after a change, until it is needed. */
  #closed: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(options: ApiContainerOptions) {
    const knowsKind = (kind: GroupVersionKind) => this.#knowsKind(kind);
    this.#factory = {
      environment: {
        ...defaults,
        ...options,
        features: { ...DEFAULT_FEATURES, ...options.features },
        knowsKind,
        equivalents: this.#equivalents,
        deadlines: new Deadlines(),
        chunkMemory: new ChunkMemory(),
      },
      codecFor: options.codecFor ?? createCodecCache(),
    };
    this.#notFound = notFoundHandler(options);
  }

  install(info: APIGroupInfo): () => void {
    const installation: Installation = { info, resources: endpointsOf(info, this.#factory) };
    const added: ResourceEndpoints[] = [];
    try {
      for (const resource of installation.resources) {
        this.#routes.add(resource);
        added.push(resource);
      }
    } catch (error) {
      for (const resource of added) this.#routes.remove(resource);
      throw error;
    }
    for (const resource of installation.resources) this.#equivalents.add(resource);
    this.#installations.add(installation);
    this.#changed();
    return () => {
      if (this.#uninstall(installation, () => true)) this.#changed();
    };
  }

  uninstall(group: string, version: string): void {
    const ofVersion = (one: ResourceEndpoints) => one.group === group && one.version === version;
    const removed = [...this.#installations].map((installation) => this.#uninstall(installation, ofVersion));
    if (removed.includes(true)) this.#changed();
  }

  handlerFor(exchange: Exchange): Handler | undefined {
    const info = exchange.context.requestInfo;
    if (info === undefined) return undefined;
    if (!info.isResourceRequest) return this.#isUnknownVersion(info.path) ? this.#notFound : undefined;
    if (!this.#routes.hasGroup(info.apiGroup) || !isBelowApi(info)) return undefined;
    if (this.#isHidden(info.apiGroup, info.apiVersion)) return this.#notFound;
    const found = (this.#routes.find(info) ?? this.#resourceOf(info))?.handlerFor(exchange, info);
    return found ?? (this.#closedVersions().has(info.apiGroup) ? this.#notFound : undefined);
  }

  groupVersions(): readonly GroupVersion[] {
    return this.#routes.groupVersions();
  }

  installed(): readonly APIGroupInfo[] {
    return [...this.#installations].map(({ info, resources }) => {
      const served = new Set(resources.map(({ version }) => version));
      return { ...info, versions: info.versions.filter((version) => served.has(version)) };
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Removes resources of an installation; reports whether there were any. */
  #uninstall(installation: Installation, which: (resource: ResourceEndpoints) => boolean): boolean {
    const leaving = installation.resources.filter(which);
    for (const resource of leaving) {
      this.#routes.remove(resource);
      this.#equivalents.remove(resource);
    }
    installation.resources = installation.resources.filter((resource) => !which(resource));
    if (installation.resources.length === 0) this.#installations.delete(installation);
    return leaving.length > 0;
  }

  /** Reports whether an unrouted path has a version that its installed group lacks. */
  #isUnknownVersion(path: string): boolean {
    if (path.charCodeAt(1) === SLASH) return false;
    const [prefix, ...rest] = splitPath(path);
    const [group, version] = prefix === 'apis' ? rest : ['', rest[0]];
    if ((prefix !== 'api' && prefix !== 'apis') || group === undefined || version === undefined) return false;
    if (prefix === 'apis' && group === '') return false;
    if (!this.#routes.hasGroup(group)) return false;
    if (this.#routes.hasVersion({ group, version })) return this.#isHidden(group, version);
    return this.#closedVersions().has(group);
  }

  /**
   * Reports whether no path leads to a version: all paths of a group with a built-in version are its own. Discovery
   * lists such a version nevertheless.
   *
   * Upstream: director.ServeHTTP of k8s.io/apiserver/pkg/server/handler.go
   */
  #isHidden(group: string, version: string): boolean {
    return this.#closedVersions().get(group)?.has(version) === false;
  }

  /** The versions of resources that leave no unknown paths to the next server, by group. */
  #closedVersions(): ReadonlyMap<string, ReadonlySet<string>> {
    if (this.#closed !== undefined) return this.#closed;
    const closed = new Map<string, Set<string>>();
    for (const { resources } of this.#installations) {
      for (const { group, version, installed } of resources) {
        if (resourcePolicyOf(installed.definition).routing.leavesUnknownPaths) continue;
        closed.set(group, (closed.get(group) ?? new Set()).add(version));
      }
    }
    this.#closed = closed;
    return closed;
  }

  /** The resource that handles an unknown subresource. */
  #resourceOf(info: RequestInfo): Endpoint | undefined {
    const endpoint = info.subresource === '' ? undefined : this.#routes.find({ ...info, subresource: '' });
    return endpoint?.scope.resourcePolicy.routing.servesUnknownSubresources ? endpoint : undefined;
  }

  #knowsKind({ group, version, kind }: GroupVersionKind): boolean {
    const isMeant = ({ gvk, listKind }: KindSchema) =>
      gvk.group === group && gvk.version === version && (gvk.kind === kind || listKind === kind);
    return [...this.#installations].some(({ resources }) =>
      resources.some(
        (resource) =>
          resourcePolicyOf(resource.installed.definition).openApi.isInScheme && resource.schemas().some(isMeant),
      ),
    );
  }

  #changed(): void {
    this.#closed = undefined;
    for (const listener of this.#listeners) listener();
  }
}

const SLASH = 0x2f;

/** Reports whether a path begins with that of its group; with additional slashes it belongs to no group. */
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
