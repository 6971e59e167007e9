import type { APIService } from '@apiserver/api/apiregistration/v1';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import { loadRemoteSpecReader, type NamedRemoteSpec, type RemoteSpec } from '@apiserver/endpoints-installer';
import { isAvailable } from '../api-service/conditions.js';
import { followRemoteServices } from '../api-service/follow-remote-services.js';
import type { RemoteReaderOptions } from '../proxy/remote-reader-options.js';
import { FIRST_READ_MS, REFRESH_MS, VERSION_2, version2Request } from './document-reads.js';

/** The pause after a failure is `REFRESH_MS` at first, and doubles with each further one up to this. */
const MAX_PAUSE_MS = 3_600_000;
/** Servers that are read at once. Upstream reads one after the other. */
const WORKERS = 4;

/** State of a server. Replaced when its APIService comes back after a deletion. */
interface Server {
  /** Undefined until the document has been read once. */
  spec: RemoteSpec | undefined;
  /** Of the document that was read last; "" if it has none. */
  etag: string;
  /** Since the last success or change of the APIService. */
  failures: number;
  /** The priority of the group when it was last told. */
  priority: number;
}

/**
 * The OpenAPI documents of version 2 of remote servers, as far as their APIServices reach. They are read soon after an
 * APIService is new, when it changes, and every minute. The last document stays while a server does not respond.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/openapi
 */
export class RemoteSpecs {
  readonly #options: RemoteReaderOptions;
  /** By name of the APIService. */
  readonly #servers = new Map<string, Server>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: RemoteReaderOptions) {
    this.#options = options;
  }

  /**
   * Groups of high priority first; those of equal priority, and versions of a group, by name. Upstream: sortByPriority
   */
  specs(): readonly NamedRemoteSpec[] {
    const priorities = this.#groupPriorities();
    return [...this.#servers]
      .flatMap(([name, { spec }]) =>
        spec === undefined ? [] : [{ name, spec, priority: priorities.get(groupOf(name)) ?? 0 }],
      )
      .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))
      .map(({ name, spec }) => ({ name, spec }));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts reading; ends when `signal` aborts. */
  run(signal: AbortSignal): void {
    const { informer, clock, logger } = this.#options;
    const queue = runWorkQueue({
      name: 'open_api_aggregation_controller',
      sync: async (name) => {
        const pause = await this.#read(name);
        if (pause !== undefined) queue.addAfter(name, pause);
      },
      longestRetryMilliseconds: MAX_PAUSE_MS,
      workers: WORKERS,
      clock,
      logger,
      signal,
    });
    const served = (name: string): void => {
      const server = this.#servers.get(name);
      const isNew = server === undefined;
      if (isNew || server.failures > 0) queue.addAfter(name, FIRST_READ_MS);
      if (!isNew) queue.add(name);
      this.#changed(name);
    };
    followRemoteServices(informer, { served, gone: (name) => this.#forget(name) }, signal);
  }

  #groupPriorities(): ReadonlyMap<string, number> {
    const priorities = new Map<string, number>();
    for (const { metadata, spec } of this.#options.informer.list()) {
      const group = groupOf(metadata.name ?? '');
      const priority = priorities.get(group) ?? Number.NEGATIVE_INFINITY;
      if (spec.service !== undefined) priorities.set(group, Math.max(priority, spec.groupPriorityMinimum));
    }
    return priorities;
  }

  /** A changed priority changes the order of documents. */
  #changed(name: string): void {
    const priority = this.#options.informer.get('', name)?.spec.groupPriorityMinimum ?? 0;
    const server = this.#servers.get(name);
    if (server === undefined) {
      this.#servers.set(name, { spec: undefined, etag: '', failures: 0, priority });
      return;
    }
    server.failures = 0;
    if (server.priority === priority) return;
    server.priority = priority;
    this.#tell();
  }

  #forget(name: string): void {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    if (server?.spec !== undefined) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The pause until the next attempt; undefined for an APIService without a server. Never rejects. */
  async #read(name: string): Promise<number | undefined> {
    const { informer, logger } = this.#options;
    const server = this.#servers.get(name);
    const apiService = informer.get('', name);
    if (server === undefined || apiService?.spec.service === undefined) return undefined;
    try {
      const read = await this.#download(apiService, server.etag);
      if (this.#servers.get(name) !== server) return undefined;
      if (read !== undefined) this.#keep(server, read);
      server.failures = 0;
      return REFRESH_MS;
    } catch (error) {
      if (this.#servers.get(name) !== server) return undefined;
      // Its condition tells of a server that is out of reach.
      if (isAvailable(apiService)) {
        logger.warning('Loading an OpenAPI document failed', { apiService: name, error: String(error) });
      }
      return Math.min(REFRESH_MS * 2 ** server.failures++, MAX_PAUSE_MS);
    }
  }

  #keep(server: Server, { spec, etag }: Pick<Server, 'etag'> & { readonly spec: RemoteSpec }): void {
    const isSame = server.spec !== undefined && isSameSpec(server.spec, spec);
    Object.assign(server, { etag, ...(!isSame && { spec }) });
    if (!isSame) this.#tell();
  }

  /** Undefined if the document has not changed. Throws an Error if there is none, or if it is malformed. */
  async #download(
    apiService: APIService,
    known: string,
  ): Promise<{ readonly spec: RemoteSpec; readonly etag: string } | undefined> {
    if (!isAvailable(apiService)) throw new TypeError('service unavailable');
    const { status, etag, body } = await this.#options.getDocument(apiService, VERSION_2, version2Request(known));
    if (status === 304 && known !== '') return undefined;
    if (status !== 200) throw new TypeError(`failed to retrieve openAPI spec, http error: ${status}`);
    const { group = '', version = '' } = apiService.spec;
    const readRemoteSpec = await loadRemoteSpecReader();
    return { spec: await readRemoteSpec(body, `/apis/${group}/${version}/`), etag };
  }
}

/** `VERSION.GROUP` is the name of every APIService. */
function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

function isSameSpec(a: RemoteSpec, b: RemoteSpec): boolean {
  return (['paths', 'definitions', 'parameters'] as const).every(
    (kind) =>
      a[kind].size === b[kind].size && [...a[kind]].every(([name, { text }]) => b[kind].get(name)?.text === text),
  );
}
