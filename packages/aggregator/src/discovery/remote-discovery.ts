import type {
  APIGroupDiscovery,
  APIResourceDiscovery,
  APISubresourceDiscovery,
  APIVersionDiscovery,
} from '@apiserver/api/apidiscovery/v2';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { type APIResource, APIResourceList } from '@apiserver/api/meta/v1';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import { createDiscoveryCodecs } from '@apiserver/endpoints-installer';
import { followRemoteServices } from '../api-service/follow-remote-services.js';
import { createGroupsDecoder } from '../peers/decode-groups.js';
import { boundedDocument, MAX_PARSED_BYTES } from '../proxy/bounded-document.js';
import type { RemoteReaderOptions } from '../proxy/remote-reader-options.js';
import type { RemoteGroups } from './aggregator-discovery.js';

const REFRESH_MS = 60_000;
const FIRST_RETRY_MS = 500;
/** Servers that are read at once. Upstream has two workers, and reads all at the start. */
const WORKERS = 10;
const API_VERSIONS = ['v2', 'v2beta1'].map((version) => `apidiscovery.k8s.io/${version}`);
const ACCEPT = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
/** The identity for documents of single versions. */
const READER: UserInfo = { name: 'system:kube-aggregator', groups: [], extra: {} };

/** The last aggregated document of a service. */
interface KnownGroups {
  /** "" if it has none. */
  readonly etag: string;
  readonly groups: readonly APIGroupDiscovery[];
}

/**
 * Caches the discovery of remote servers. It is read when an APIService changes, every minute, and soon after a
 * failure. While a server does not respond, or responds with too much, its version is stale and has no resources.
 * Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go
 */
export class RemoteDiscovery implements RemoteGroups {
  readonly #options: RemoteReaderOptions;
  readonly #versions = new Map<string, { readonly group: string; readonly discovery: APIVersionDiscovery }>();
  /** By service. */
  readonly #known = new Map<string, KnownGroups>();
  readonly #decodeGroups = createGroupsDecoder(API_VERSIONS);
  readonly #resourceList = createDiscoveryCodecs()(APIResourceList);
  readonly #listeners: (() => void)[] = [];

  constructor(options: RemoteReaderOptions) {
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
    const { informer, clock, logger } = this.#options;
    const queue = runWorkQueue({
      name: 'discovery-manager',
      sync: async (name) => {
        if (await this.#read(name)) queue.addAfter(name, REFRESH_MS);
        else this.#forget(name);
      },
      firstRetryMilliseconds: FIRST_RETRY_MS,
      longestRetryMilliseconds: REFRESH_MS,
      // Clients see that the version is stale. A line for each retry would fill the log.
      failed: () => {},
      workers: WORKERS,
      clock,
      logger,
      signal,
    });
    const services = { served: (name: string) => queue.add(name), gone: (name: string) => this.#forget(name) };
    followRemoteServices(informer, services, signal);
  }

  #forget(name: string): void {
    const used = new Set(this.#options.informer.list().map(serviceOf));
    for (const service of this.#known.keys()) if (!used.has(service)) this.#known.delete(service);
    if (this.#versions.delete(name)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * False for an APIService without a server. Throws an Error if the server does not respond, so that it is soon asked
   * again.
   */
  async #read(name: string): Promise<boolean> {
    const { informer } = this.#options;
    const apiService = informer.get('', name);
    if (apiService?.spec.service === undefined) return false;
    const { group = '', version = '' } = apiService.spec;
    const discovery = await this.#getDiscovery(apiService).catch(() => undefined);
    if (informer.get('', name)?.spec.service === undefined) return false;
    this.#versions.set(name, { group, discovery: discovery ?? { version, resources: [], freshness: 'Stale' } });
    this.#tell();
    if (discovery === undefined) throw newServiceUnavailable(`the server of ${name} does not respond`);
    return true;
  }

  /** Undefined, or an Error thrown, if the server does not respond or responds with something else. */
  async #getDiscovery(apiService: APIService): Promise<APIVersionDiscovery | undefined> {
    const { group = '', version = '' } = apiService.spec;
    const service = serviceOf(apiService);
    const known = this.#known.get(service);
    const headers = known === undefined || known.etag === '' ? {} : { 'If-None-Match': known.etag };
    const whole = await this.#options.getDocument(apiService, '/apis', {
      accept: ACCEPT,
      headers,
      maxBytes: MAX_PARSED_BYTES,
    });
    if (whole.status === 503) return undefined;
    if (whole.status === 304 && known !== undefined) return versionIn(known.groups, group, version);
    if (whole.status === 200 && isAggregated(whole.contentType)) {
      const groups = this.#decodeGroups(boundedDocument(whole.body));
      this.#known.set(service, { etag: whole.etag, groups });
      return versionIn(groups, group, version);
    }
    return this.#getUnaggregated(apiService, headers);
  }

  /** Asks a server without aggregated discovery for the resources of the version. */
  async #getUnaggregated(
    apiService: APIService,
    headers: { readonly [name: string]: string },
  ): Promise<APIVersionDiscovery | undefined> {
    const { group = '', version = '' } = apiService.spec;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const { status, body } = await this.#options.getDocument(apiService, path, {
      accept: 'application/json',
      user: READER,
      headers,
      maxBytes: MAX_PARSED_BYTES,
    });
    if (status !== 200) return undefined;
    const { resources } = this.#resourceList.decodeJson(boundedDocument(body), 'Ignore').object;
    const found = discoveryOf(resources ?? []);
    return found && { version, resources: found, freshness: 'Current' };
  }
}

/** Upstream: serviceKey */
function serviceOf({ spec: { service } }: APIService): string {
  return service === undefined ? '' : `${service.namespace}/${service.name}:${service.port ?? 443}`;
}

/** Upstream: ContentTypeIsGVK of k8s.io/client-go/discovery */
function isAggregated(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const has = (one: string): boolean => parameters.includes(one);
  const isKind = has('g=apidiscovery.k8s.io') && has('as=APIGroupDiscoveryList');
  return type === 'application/json' && isKind && (has('v=v2') || has('v=v2beta1'));
}

/** A server that does not have the version has one without resources. */
function versionIn(groups: readonly APIGroupDiscovery[], group: string, version: string): APIVersionDiscovery {
  const found = groups
    .find(({ metadata }) => metadata?.name === group)
    ?.versions?.find((one) => one.version === version);
  const { resources = [] } = found ?? {};
  return { version, resources: resources.map(withKinds), freshness: 'Current' };
}

const NO_KIND = { group: '', version: '', kind: '' };

/** Old clients need the kinds. */
function withKinds(resource: APIResourceDiscovery): APIResourceDiscovery {
  const { responseKind = NO_KIND, subresources } = resource;
  return {
    ...resource,
    responseKind,
    ...(subresources && {
      subresources: subresources.map((one) => ({ ...one, responseKind: one.responseKind ?? NO_KIND })),
    }),
  };
}

/**
 * Undefined if a subresource has another scope than its parent.
 * Upstream: ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver/pkg/endpoints/installer.go
 */
function discoveryOf(resources: readonly APIResource[]): APIResourceDiscovery[] | undefined {
  const scopeOf = ({ namespaced }: APIResource) => (namespaced ? 'Namespaced' : 'Cluster');
  const found = resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource): APIResourceDiscovery => {
      const { name, singularName, verbs, shortNames, categories } = resource;
      return {
        resource: name,
        responseKind: kindOf(resource),
        scope: scopeOf(resource),
        singularResource: singularName,
        verbs: [...(verbs ?? [])],
        ...(shortNames && { shortNames: [...shortNames] }),
        ...(categories && { categories: [...categories] }),
      };
    });
  const subresourcesOf = new Map<APIResourceDiscovery, APISubresourceDiscovery[]>();
  const parents = new Map(found.map((one) => [one.resource ?? '', one]));
  for (const resource of resources) {
    const [name = '', ...rest] = resource.name.split('/');
    if (rest.length === 0) continue;
    const scope = scopeOf(resource);
    const parent = parents.get(name) ?? newParent(name, scope);
    if (!parents.has(name)) found.push(parent);
    parents.set(name, parent);
    if (parent.scope !== scope) return undefined;
    const responseKind = resource.kind === '' ? NO_KIND : kindOf(resource);
    const entry = { subresource: rest.join('/'), responseKind, verbs: [...(resource.verbs ?? [])] };
    const subresources = subresourcesOf.get(parent) ?? [];
    subresourcesOf.set(parent, subresources);
    subresources.push(entry);
    parent.subresources = subresources;
  }
  return found;
}

/** Absent parts are not those of the document's version. */
function kindOf({ group = '', version = '', kind }: APIResource) {
  return { group, version, kind };
}

/** Of a subresource alone: it has no verbs. */
function newParent(resource: string, scope: string): APIResourceDiscovery {
  return { resource, scope, responseKind: NO_KIND, singularResource: '', verbs: null };
}
