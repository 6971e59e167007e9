import { APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '@apiserver/api/meta/v1';
import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Handler, Logger } from '@apiserver/apiserver-contracts';
import type { ApiContainer } from '../container/api-container.js';
import { checkRouteAccept, checkRouteContentType } from '../negotiation/check-route-accept.js';
import { builtInMediaTypes } from '../negotiation/media-types.js';
import { respondError } from '../responses/respond-error.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import { aggregatedDiscovery, defaultDiscoveryPriority, type PriorityOf } from './aggregated-discovery.js';
import { clientAddress, type DiscoveryAddresses } from './discovery-addresses.js';
import { createCodecs, createDocument, type DiscoveryDocument } from './discovery-document.js';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './group-documents.js';
import { negotiateAggregated, respondAggregated, respondDocument, WITHOUT_PEERS } from './respond-document.js';
import { type ServedGroup, type ServedVersion, servedGroups } from './served-group.js';

/** Dependencies of discovery besides the container. */
export interface DiscoveryOptions {
  readonly container: Pick<ApiContainer, 'installed' | 'onChange'>;
  readonly addresses: DiscoveryAddresses;
  readonly logger: Logger;
  /** Ranks groups and versions of aggregated discovery. Default: all equal. */
  readonly priorityOf?: PriorityOf;
  /**
   * False: built-in resources have no `storageVersionHash`. Default: true. Upstream feature gate: StorageVersionHash
   */
  readonly storageVersionHashes?: boolean;
  /** Called for each request for discovery without that of other kube-apiservers. */
  readonly withoutPeers?: () => void;
}

/** The discovery documents of a server. Made on demand, cached until the installed resources change. */
export interface Discovery {
  /**
   * The handler of a request below `/api` or `/apis`; undefined if the path is not a discovery document of this server.
   */
  handlerFor(exchange: Exchange): Handler | undefined;
  /** The served groups, for the aggregator to merge; versions in order of preference. */
  groups(): readonly ServedGroup[];
}

type Respond = (exchange: Exchange) => ApiResponse | Promise<ApiResponse>;

/**
 * Discovery of the installed resources of a container.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery
 */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const state = createState(options);
  return {
    groups: state.groups,
    handlerFor: ({ request }) => {
      const respond = responder(state, options, request.path);
      return respond === undefined ? undefined : handlerOf(respond, options.logger);
    },
  };
}

interface State {
  groups(): readonly ServedGroup[];
  group(name: string): ServedGroup | undefined;
  /** Returns the cached document of this name, or creates it with `make`. */
  document(name: string, make: () => DiscoveryDocument): DiscoveryDocument;
  readonly codecOf: ReturnType<typeof createCodecs>;
}

function createState({ container }: DiscoveryOptions): State {
  let groups: readonly ServedGroup[] | undefined;
  const documents = new Map<string, DiscoveryDocument>();
  container.onChange(() => {
    groups = undefined;
    documents.clear();
  });
  const served = (): readonly ServedGroup[] => (groups ??= servedGroups(container.installed()));
  return {
    codecOf: createCodecs(),
    groups: served,
    group: (name) => served().find(({ group }) => group === name),
    document: (name, make) => {
      const document = documents.get(name) ?? make();
      documents.set(name, document);
      return document;
    },
  };
}

function responder(state: State, options: DiscoveryOptions, path: string): Respond | undefined {
  if (path === '/apis/') return groupListRoot(state, options);
  const [root, ...names] = path.slice(1, endOfName(path)).split('/');
  if (root === 'api') {
    return names.length === 0 ? coreRoot(state, options) : resourceList(state, options, ['', ...names]);
  }
  if (root !== 'apis') return undefined;
  const [group, ...rest] = names;
  if (group === undefined) return path === '/apis' ? groupListRoot(state, options) : undefined;
  if (group === '') return undefined;
  return rest.length === 0 ? groupDocument(state, group) : resourceList(state, options, [group, ...rest]);
}

const SLASH = 0x2f;

/** The end of a path without the slashes behind it. Upstream: tokenizePath in github.com/emicklei/go-restful */
function endOfName(path: string): number {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === SLASH) end--;
  return end;
}

function coreRoot(state: State, options: DiscoveryOptions): Respond | undefined {
  const core = state.group('');
  if (core === undefined) return undefined;
  return withAggregated(state, options, 'api', (exchange) => {
    const addresses = options.addresses(clientAddress(exchange.request));
    const make = (): DiscoveryDocument => createDocument(state.codecOf(APIVersions), apiVersions(core, addresses));
    return respondDocument(exchange, state.document(JSON.stringify(['/api', addresses]), make));
  });
}

function groupListRoot(state: State, options: DiscoveryOptions): Respond {
  return withAggregated(state, options, 'apis', (exchange) => {
    const addresses = options.addresses(clientAddress(exchange.request));
    const named = state.groups().filter(({ group }) => group !== '');
    const make = (): DiscoveryDocument => createDocument(state.codecOf(APIGroupList), apiGroupList(named, addresses));
    return respondDocument(exchange, state.document(JSON.stringify(['/apis', addresses]), make));
  });
}

function withAggregated(state: State, options: DiscoveryOptions, root: 'api' | 'apis', plain: Respond): Respond {
  return onRoute((exchange) => {
    const output = negotiateAggregated(exchange);
    if (output === undefined) return plain(exchange);
    if (output.transform?.profile === WITHOUT_PEERS) options.withoutPeers?.();
    const document = state.document(`aggregated /${root}`, () => {
      const groups = state.groups().filter(({ group }) => (group === '') === (root === 'api'));
      const list = aggregatedDiscovery(groups, options.priorityOf ?? (() => defaultDiscoveryPriority));
      return createDocument(state.codecOf(APIGroupDiscoveryList), list);
    });
    return respondAggregated(exchange, document, output);
  });
}

function groupDocument(state: State, name: string): Respond | undefined {
  const group = state.group(name);
  if (group === undefined) return undefined;
  const make = (): DiscoveryDocument => createDocument(state.codecOf(APIGroup), apiGroup(group));
  const respond: Respond = (exchange) => respondDocument(exchange, state.document(`/apis/${name}`, make));
  return group.versions.some(hasRoutes) ? onRoute(respond) : respond;
}

function resourceList(
  state: State,
  { storageVersionHashes }: DiscoveryOptions,
  [name = '', version, ...rest]: readonly string[],
): Respond | undefined {
  const group = state.group(name);
  const served = group?.versions.find((candidate) => candidate.version === version);
  if (group === undefined || served === undefined || rest.length > 0) return undefined;
  const make = (): DiscoveryDocument =>
    createDocument(state.codecOf(APIResourceList), apiResourceList(group, served, storageVersionHashes));
  const respond: Respond = (exchange) =>
    respondDocument(exchange, state.document(`resources ${name}/${version}`, make));
  return hasRoutes(served) ? onRoute(respond) : respond;
}

/** Custom resources alone have no routes. */
function hasRoutes({ resources }: ServedVersion): boolean {
  return resources.length === 0 || resources.some(({ definition }) => resourcePolicyOf(definition).discovery.hasRoutes);
}

/** Rejects other methods, media types of bodies, and Accept headers without a supported encoding. */
function onRoute(respond: Respond): Respond {
  return (exchange) => {
    if (exchange.request.method !== 'GET') throw newGenericServerResponse({ code: 405 });
    if (!exchange.request.inProcess) {
      checkRouteContentType(exchange, builtInMediaTypes);
      checkRouteAccept(exchange, builtInMediaTypes);
    }
    return respond(exchange);
  };
}

function handlerOf(respond: Respond, logger: Logger): Handler {
  return async (exchange) => {
    try {
      return await respond(exchange);
    } catch (error) {
      return respondError(exchange, error, logger);
    }
  };
}
