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
  respondAggregated,
  respondDocument,
  respondError,
  servedGroups,
} from '@apiserver/endpoints-installer';
import { builtInPriority } from '../registration/built-in-priorities.js';
import { apiServiceName } from '../registration/desired-api-service.js';
import { mergeRemoteGroups } from './merge-remote-groups.js';
import { type ApiServiceGroup, apiServiceGroups } from './sort-api-services.js';

/** Before all others, since no APIService speaks for it. Upstream: APIRegistrationGroupPriority */
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

/** What discovery over all servers is made of. */
export interface AggregatorDiscoveryOptions {
  readonly informer: Pick<Informer<APIService>, 'list' | 'subscribe'>;
  /** Everything that the servers of this process serve. */
  readonly served: InstalledView;
  /** Aggregated discovery of the servers behind services, one entry per group, and who is told when it changes. */
  readonly remote: RemoteGroups;
  readonly logger: Logger;
}

/** What servers behind services say of themselves. */
export interface RemoteGroups {
  groups(): readonly APIGroupDiscovery[];
  onChange(listener: () => void): void;
}

/** The documents at `/apis` and `/apis/<group>`: who asks there hears of every server. */
export interface AggregatorDiscovery {
  /** Undefined: another server may know the path. */
  handlerFor(path: string): Handler | undefined;
  listedPaths(): readonly string[];
  /** Looks at the APIServices anew when they change, from now on. */
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

  constructor(options: AggregatorDiscoveryOptions) {
    this.#options = options;
    options.served.onChange(() => this.#documents.clear());
    options.remote.onChange(() => this.#documents.clear());
  }

  follow(): () => void {
    const changed = (): void => {
      this.#groups = undefined;
      this.#documents.clear();
    };
    return this.#options.informer.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  handlerFor(path: string): Handler | undefined {
    if (path === '/apis' || path === '/apis/') return this.#answering((exchange) => this.#respondList(exchange));
    const [, name] = /^\/apis\/([^/]+)\/?$/.exec(path) ?? [];
    const group = name === undefined ? undefined : this.#apiServiceGroups().find(({ group: one }) => one === name);
    return group && this.#answering((exchange) => respondDocument(exchange, this.#groupDocument(group)));
  }

  listedPaths(): readonly string[] {
    return [OWN, ...this.#apiServiceGroups()].flatMap(({ group, apiServices }) => [
      '/apis',
      ...(group === '' ? [] : [`/apis/${group}`, ...apiServices.map(({ spec }) => `/apis/${group}/${spec.version}`)]),
    ]);
  }

  #answering(respond: (exchange: Exchange) => ApiResponse | Promise<ApiResponse>): Handler {
    return async (exchange) => {
      try {
        return await respond(exchange);
      } catch (error) {
        return respondError(exchange, error, this.#options.logger);
      }
    };
  }

  #respondList(exchange: Exchange): ApiResponse | Promise<ApiResponse> {
    const output = negotiateAggregated(exchange);
    if (output !== undefined)
      return respondAggregated(
        exchange,
        this.#document(' aggregated', () => this.#aggregated()),
        output,
      );
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

  #aggregated(): DiscoveryDocument {
    const priorityOf = this.#priorities();
    const local = servedGroups(this.#options.served.installed()).filter(({ group }) => group !== '');
    const list = aggregatedDiscovery(local, priorityOf);
    const merged = mergeRemoteGroups(list, this.#options.remote.groups(), priorityOf);
    return createDiscoveryDocument(this.#codecOf(APIGroupDiscoveryList), merged);
  }

  #priorities(): (groupVersion: GroupVersion) => DiscoveryPriority {
    const all = [OWN, ...this.#apiServiceGroups()].flatMap(({ apiServices }) => apiServices);
    const asked = new Map(
      all.map(({ spec: { group = '', version = '', groupPriorityMinimum, versionPriority } }) => [
        apiServiceName({ group, version }),
        { group: groupPriorityMinimum, version: versionPriority },
      ]),
    );
    return (groupVersion) =>
      asked.get(apiServiceName(groupVersion)) ?? builtInPriority(groupVersion) ?? defaultDiscoveryPriority;
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
