import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import { APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { APIGroup, APIGroupList } from '@apiserver/api/meta/v1';
import type { GroupVersion } from '@apiserver/apimachinery';
import type { ApiResponse, Exchange, Handler, Informer, Logger } from '@apiserver/apiserver-contracts';
import {
  aggregatedDiscovery,
  createDiscoveryCodecs,
  createDiscoveryDocument,
  type DiscoveryDocument,
  type DiscoveryPriority,
  defaultDiscoveryPriority,
  type InstalledView,
  negotiateAggregated,
  type OutputMediaType,
  respondAggregated,
  respondDocument,
  respondError,
  servedGroups,
  WITHOUT_PEERS,
} from '@apiserver/endpoints-installer';
import type { PeerProxy } from '../peers/peer-proxy.js';
import { builtInPriority } from '../registration/built-in-priorities.js';
import { apiServiceName } from '../registration/desired-api-service.js';
import type { DiscoveryMetrics } from './discovery-metrics.js';
import { mergeRemoteGroups } from './merge-remote-groups.js';
import { type ApiServiceGroup, apiServiceGroups } from './sort-api-services.js';

/** Listed first, because no APIService represents it. Upstream: APIRegistrationGroupPriority */
const OWN: ApiServiceGroup = {
  group: 'apiregistration.k8s.io',
  apiServices: [
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.apiregistration.k8s.io' },
      spec: { group: 'apiregistration.k8s.io', version: 'v1', groupPriorityMinimum: 20_000, versionPriority: 1 },
      status: {},
    },
  ],
};

/** The document of all servers, among those of this one. */
const PEER_DOCUMENT = ' peers';

/** Dependencies of the aggregator's discovery. */
export interface AggregatorDiscoveryOptions {
  readonly informer: Pick<Informer<APIService>, 'list' | 'subscribe'>;
  /** All groups that the servers of this process serve. */
  readonly served: InstalledView;
  /** Aggregated discovery of remote servers, one entry per group, with change notifications. */
  readonly remote: RemoteGroups;
  /** Discovery of other kube-apiservers; undefined without a proxy to them. */
  readonly peers?: Pick<PeerProxy, 'merged' | 'onChange'> | undefined;
  readonly logger: Logger;
  readonly metrics: DiscoveryMetrics;
}

/** Discovery of the servers behind services. */
export interface RemoteGroups {
  groups(): readonly APIGroupDiscovery[];
  onChange(listener: () => void): void;
}

/** The documents at `/apis` and `/apis/<group>`, which cover all servers. */
export interface AggregatorDiscovery {
  /** Undefined if the next server must handle the path. */
  handlerFor(path: string): Handler | undefined;
  listedPaths(): readonly string[];
  /** Recomputes the documents when APIServices change. Returns a function that stops it. */
  follow(): () => void;
}

/** Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_apis.go, handler_discovery.go */
export function createAggregatorDiscovery(options: AggregatorDiscoveryOptions): AggregatorDiscovery {
  return new Documents(options);
}

class Documents implements AggregatorDiscovery {
  readonly #options: AggregatorDiscoveryOptions;
  readonly #codecOf = createDiscoveryCodecs();
  readonly #documents = new Map<string, DiscoveryDocument>();
  #groups: readonly ApiServiceGroup[] | undefined = undefined;
  #local: APIGroupDiscoveryList | undefined = undefined;

  constructor(options: AggregatorDiscoveryOptions) {
    this.#options = options;
    options.served.onChange(() => this.#clear());
    options.remote.onChange(() => this.#clear());
    options.peers?.onChange(() => this.#documents.delete(PEER_DOCUMENT));
  }

  follow(): () => void {
    const changed = (): void => {
      this.#groups = undefined;
      this.#clear();
    };
    return this.#options.informer.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  #clear(): void {
    this.#local = undefined;
    this.#documents.clear();
  }

  handlerFor(path: string): Handler | undefined {
    if (path === '/apis') return this.#responding((exchange) => this.#respondAll(exchange));
    // With the slash there is no aggregated form. Upstream: apisHandler without WrapAggregatedDiscoveryToHandler
    if (path === '/apis/') return this.#responding((exchange) => this.#respondList(exchange));
    const [, name] = /^\/apis\/([^/]+)\/?$/.exec(path) ?? [];
    const group = name === undefined ? undefined : this.#apiServiceGroups().find(({ group: one }) => one === name);
    return group && this.#responding((exchange) => respondDocument(exchange, this.#groupDocument(group)));
  }

  listedPaths(): readonly string[] {
    return [OWN, ...this.#apiServiceGroups()].flatMap(({ group, apiServices }) => [
      '/apis',
      ...(group === '' ? [] : [`/apis/${group}`, ...apiServices.map(({ spec }) => `/apis/${group}/${spec.version}`)]),
    ]);
  }

  #responding(respond: (exchange: Exchange) => ApiResponse | Promise<ApiResponse>): Handler {
    return async (exchange) => {
      try {
        return await respond(exchange);
      } catch (error) {
        return respondError(exchange, error, this.#options.logger);
      }
    };
  }

  #respondAll(exchange: Exchange): ApiResponse | Promise<ApiResponse> {
    const output = negotiateAggregated(exchange);
    if (output === undefined) return this.#respondList(exchange);
    return respondAggregated(exchange, this.#aggregatedFor(output), output);
  }

  #respondList(exchange: Exchange): ApiResponse | Promise<ApiResponse> {
    const make = (): DiscoveryDocument =>
      createDiscoveryDocument(this.#codecOf(APIGroupList), {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [OWN, ...this.#apiServiceGroups()].filter(({ group }) => group !== '').map(groupBody),
      });
    return respondDocument(exchange, this.#document(' list', make));
  }

  #groupDocument(group: ApiServiceGroup): DiscoveryDocument {
    return this.#document(group.group, () =>
      createDiscoveryDocument(this.#codecOf(APIGroup), { ...groupBody(group), kind: 'APIGroup', apiVersion: 'v1' }),
    );
  }

  /** Clients that do not ask for this server alone get what all servers serve. */
  #aggregatedFor({ transform }: OutputMediaType): DiscoveryDocument {
    const { metrics, peers } = this.#options;
    const codec = this.#codecOf(APIGroupDiscoveryList);
    const own = () => this.#document(' aggregated', () => createDiscoveryDocument(codec, this.#localList()));
    if (transform?.profile === WITHOUT_PEERS) metrics.withoutPeers();
    if (peers === undefined || transform?.profile === WITHOUT_PEERS) return own();
    metrics.peerAggregated(this.#documents.has(PEER_DOCUMENT));
    return this.#document(PEER_DOCUMENT, () => {
      const local = this.#localList();
      const items = peers.merged(local.items);
      if (items === local.items) return own();
      return createDiscoveryDocument(codec, { ...local, items: [...items] });
    });
  }

  /** The groups of this server, and of those behind services. */
  #localList(): APIGroupDiscoveryList {
    if (this.#local !== undefined) return this.#local;
    const priorityOf = this.#priorities();
    const local = servedGroups(this.#options.served.installed()).filter(({ group }) => group !== '');
    const list = aggregatedDiscovery(local, priorityOf);
    this.#options.metrics.aggregated();
    this.#local = mergeRemoteGroups(list, this.#options.remote.groups(), priorityOf);
    return this.#local;
  }

  #priorities(): (groupVersion: GroupVersion) => DiscoveryPriority {
    const all = [OWN, ...this.#apiServiceGroups()].flatMap(({ apiServices }) => apiServices);
    const configured = new Map(
      all.map(({ spec: { group = '', version = '', groupPriorityMinimum, versionPriority } }) => [
        apiServiceName({ group, version }),
        { group: groupPriorityMinimum, version: versionPriority },
      ]),
    );
    return (groupVersion) =>
      configured.get(apiServiceName(groupVersion)) ?? builtInPriority(groupVersion) ?? defaultDiscoveryPriority;
  }

  #document(name: string, make: () => DiscoveryDocument): DiscoveryDocument {
    const document = this.#documents.get(name) ?? make();
    this.#documents.set(name, document);
    return document;
  }

  #apiServiceGroups(): readonly ApiServiceGroup[] {
    this.#groups ??= apiServiceGroups(this.#options.informer.list());
    return this.#groups;
  }
}

function groupBody({ group, apiServices }: ApiServiceGroup): APIGroup {
  const versions = apiServices.map(({ spec: { version = '' } }) => ({ groupVersion: `${group}/${version}`, version }));
  return {
    kind: '',
    apiVersion: '',
    name: group,
    versions,
    preferredVersion: versions[0] ?? { groupVersion: '', version: '' },
  };
}
