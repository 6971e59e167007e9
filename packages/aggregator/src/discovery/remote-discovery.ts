import type { APIGroupDiscovery, APIResourceDiscovery, APIVersionDiscovery } from '@apiserver/api/apidiscovery/v2';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { APIResource } from '@apiserver/api/meta/v1';
import { type Clock, repeat } from '@apiserver/apimachinery/clock';
import type { Informer } from '@apiserver/apiserver-contracts';
import { isAvailable } from '../api-service/conditions.js';
import type { FetchedDocument } from '../proxy/fetch-document.js';
import { apiServiceName } from '../registration/desired-api-service.js';
import type { RemoteGroups } from './aggregator-discovery.js';

const REFRESH_MS = 60_000;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Dependencies of `RemoteDiscovery`. */
export interface RemoteDiscoveryOptions {
  readonly informer: Pick<Informer<APIService>, 'list' | 'get' | 'subscribe'>;
  /** Gets a document from the server of an APIService. Throws an Error if it does not respond. */
  getDocument(apiService: APIService, path: string, accept: string): Promise<FetchedDocument>;
  readonly clock: Clock;
}

/**
 * Caches the discovery of remote servers. It is read when an APIService changes, and every minute. The last document
 * stays, marked stale, while its server does not respond.
 * Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go
 */
export class RemoteDiscovery implements RemoteGroups {
  readonly #options: RemoteDiscoveryOptions;
  readonly #versions = new Map<string, { readonly group: string; readonly discovery: APIVersionDiscovery }>();
  readonly #reading = new Set<string>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: RemoteDiscoveryOptions) {
    this.#options = options;
  }

  groups(): readonly APIGroupDiscovery[] {
    return [...this.#versions.values()].map(({ group, discovery }) => ({
      kind: '',
      apiVersion: '',
      metadata: { name: group },
      versions: [discovery],
    }));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts reading; ends when `signal` aborts. */
  run(signal: AbortSignal): void {
    const { informer, clock } = this.#options;
    const changed = (apiService: APIService): void => void this.#read(apiService.metadata.name ?? '');
    const deleted = ({ metadata }: APIService): void => this.#forget(metadata.name ?? '');
    const refresh = (): void => {
      for (const apiService of informer.list()) if (apiService.spec.service !== undefined) changed(apiService);
    };
    repeat(clock, REFRESH_MS, refresh, signal);
    signal.addEventListener('abort', informer.subscribe({ added: changed, updated: changed, deleted }), { once: true });
  }

  #forget(name: string): void {
    if (this.#versions.delete(name)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Never rejects. */
  async #read(name: string): Promise<void> {
    const apiService = this.#options.informer.get('', name);
    if (apiService?.spec.service === undefined) return this.#forget(name);
    if (this.#reading.has(name)) return;
    this.#reading.add(name);
    const { group = '', version = '' } = apiService.spec;
    const discovery = isAvailable(apiService) ? await this.#getDiscovery(apiService).catch(() => undefined) : undefined;
    this.#reading.delete(name);
    const { resources = [] } = this.#versions.get(apiServiceName({ group, version }))?.discovery ?? {};
    this.#versions.set(name, { group, discovery: discovery ?? { version, resources, freshness: 'Stale' } });
    this.#tell();
  }

  async #getDiscovery(apiService: APIService): Promise<APIVersionDiscovery | undefined> {
    const { group = '', version = '' } = apiService.spec;
    const whole = await this.#options.getDocument(apiService, '/apis', `${AGGREGATED},application/json;q=0.9`);
    if (whole.status === 200 && whole.contentType.includes('APIGroupDiscoveryList')) {
      return versionIn(JSON.parse(whole.body), group, version);
    }
    const plain = await this.#options.getDocument(apiService, `/apis/${group}/${version}`, 'application/json');
    if (plain.status !== 200) return undefined;
    const { resources }: { resources?: readonly APIResource[] } = JSON.parse(plain.body);
    return { version, resources: discoveryOf(resources ?? [], group, version), freshness: 'Current' };
  }
}

function versionIn(
  { items = [] }: { readonly items?: readonly APIGroupDiscovery[] },
  group: string,
  version: string,
): APIVersionDiscovery | undefined {
  const found = items.find(({ metadata }) => metadata.name === group)?.versions?.find((one) => one.version === version);
  return found && { ...found, freshness: 'Current' };
}

/** Upstream: ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver/pkg/endpoints/installer.go */
function discoveryOf(resources: readonly APIResource[], group: string, version: string): APIResourceDiscovery[] {
  const kindOf = (resource: APIResource) => ({
    group: resource.group || group,
    version: resource.version || version,
    kind: resource.kind,
  });
  const byName = new Map<string, APIResourceDiscovery>();
  for (const resource of resources.filter(({ name }) => !name.includes('/'))) {
    byName.set(resource.name, {
      resource: resource.name,
      responseKind: kindOf(resource),
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: resource.singularName,
      verbs: [...(resource.verbs ?? [])],
      ...(resource.shortNames && { shortNames: [...resource.shortNames] }),
      ...(resource.categories && { categories: [...resource.categories] }),
    });
  }
  for (const resource of resources) {
    const [parent = '', subresource] = resource.name.split('/');
    if (subresource === undefined) continue;
    const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
    const main = byName.get(parent) ?? { resource: parent, scope, singularResource: '', verbs: [] };
    byName.set(parent, main);
    const entry = { subresource, responseKind: kindOf(resource), verbs: [...(resource.verbs ?? [])] };
    main.subresources = [...(main.subresources ?? []), entry];
  }
  return [...byName.values()];
}
