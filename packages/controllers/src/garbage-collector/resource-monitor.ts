import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { type Logger, type StoredObject, type WatchEvent, whenLoaded } from '@apiserver/apiserver-contracts';
import { type FollowOptions, followResource, type ResourceSink } from '@apiserver/registry-store';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import type { DependencyGraph } from './dependency-graph.js';
import type { ObjectIdentity } from './object-identity.js';

/** Fields of metadata that matter to the graph, as they stand in JSON. */
const MARKS = [Buffer.from('"ownerReferences"'), Buffer.from('"deletionTimestamp"')];

/** One for all: a reason of its own for each monitor costs a stack trace. */
const ENDED = new Error('The monitor has ended');

/** Keeps the graph current about the objects of one resource. */
export class ResourceMonitor implements ResourceSink<KubeObject>, AsyncDisposable {
  readonly resource: DiscoveredResource;
  readonly #graph: DependencyGraph;
  readonly #apiVersion: string;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  readonly #logger: Logger;
  readonly #onError = (error: unknown): void =>
    this.#logger.error(error, 'The garbage collector has missed a change', { resource: this.resource.resource });
  readonly #running: Promise<void>;

  constructor(resource: DiscoveredResource, graph: DependencyGraph, options: FollowOptions<KubeObject>) {
    this.resource = resource;
    this.#graph = graph;
    this.#apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    this.#logger = options.logger;
    this.#running = followResource(options, this, this.#stop.signal);
  }

  /** Resolves when the graph has the first list, or after disposal. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async replace(listed: readonly StoredObject[]): Promise<void> {
    const { kind } = this.resource;
    const slice = new TimeSlice();
    const isKnown = this.#graph.hasKind(this.#apiVersion, kind);
    const uids = new Set<string>();
    for (const [i, object] of listed.entries()) {
      if (isKnown || this.#mayMatter(object)) await whenLoaded(object, (loaded) => this.#put(loaded, uids));
      if (slice.overAt(i, 16, object.byteLength ?? 0)) await slice.yield();
    }
    if (this.#stop.signal.aborted) return;
    if (isKnown) this.#doubtOthers(uids);
    this.#synced.resolve();
  }

  event({ type, object }: WatchEvent): Promise<void> | void {
    try {
      const isKnown = this.#graph.hasKind(this.#apiVersion, this.resource.kind);
      if (type === 'DELETED' ? !isKnown : !isKnown && !this.#mayMatter(object)) return;
      const taken = whenLoaded(object, (loaded) => {
        if (type === 'DELETED') this.#graph.delete(loaded.metadata.uid ?? '');
        else this.#put(loaded);
      });
      return taken?.catch(this.#onError);
    } catch (error) {
      this.#onError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(ENDED);
    await this.#running;
    this.#synced.resolve();
  }

  /** False if the object neither has owners nor is being deleted. Nothing is decoded where its JSON is kept. */
  #mayMatter(object: StoredObject): boolean {
    const { group, version, kind } = this.resource;
    const bytes = object.wire({ contentType: 'application/json', group, version, kind });
    if (bytes === undefined) return true;
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return MARKS.some((mark) => json.includes(mark));
  }

  /** An object that was decoded after the end is not wanted any more. */
  #put(object: KubeObject, uids?: Set<string>): void {
    if (this.#stop.signal.aborted) return;
    uids?.add(object.metadata.uid ?? '');
    this.#graph.put(this.#identityOf(object), object.metadata);
  }

  #identityOf({ metadata: { namespace = '', name = '', uid = '' } }: KubeObject): ObjectIdentity {
    return { apiVersion: this.#apiVersion, kind: this.resource.kind, namespace, name, uid };
  }

  /** Objects of the kind that a list lacks may be gone; or the list is older than they are. */
  #doubtOthers(listed: ReadonlySet<string>): void {
    const isOfKind = ({ apiVersion, kind }: ObjectIdentity) =>
      kind === this.resource.kind && apiVersion === this.#apiVersion;
    for (const node of [...this.#graph.nodes()]) {
      if (isOfKind(node.identity) && !listed.has(node.identity.uid)) this.#graph.doubt(node);
    }
  }
}
