import type { Exchange, Handler } from '@apiserver/apiserver-contracts';
import type { Router } from 'express';
import { serveByRouter } from './router-adapter.js';

/**
 * Paths besides the API groups: health, metrics, version, and whatever an embedder mounts, as handlers or on an express
 * Router.
 * Upstream: k8s.io/apiserver/pkg/server/mux.PathRecorderMux
 */
export interface NonGoRestfulMux {
  /** Serves exactly this path, with every method. Throws if it is taken. */
  handle(path: string, handler: Handler, options?: MuxOptions): void;
  /** Serves everything below a prefix, which ends with "/"; the longest prefix wins. */
  handlePrefix(prefix: string, handler: Handler, options?: MuxOptions): void;
  /** Removes a path or prefix. */
  unregister(path: string): void;
  /** For the index, sorted. */
  listedPaths(): readonly string[];
  /**
   * An express Router for requests without a handler. Requests that it passes on go to the next server. Express is
   * loaded by the first call. Its handlers get plain node requests and responses, after authentication and
   * authorization.
   */
  router(): Promise<Router>;
}

export interface MuxOptions {
  /** Excludes it from the index. */
  readonly unlisted?: boolean;
}

interface Entry {
  readonly handler: Handler;
  readonly unlisted: boolean;
}

type PrefixEntry = readonly [prefix: string, entry: Entry];

/** The mux, with the methods for the server. */
export class PathMux implements NonGoRestfulMux {
  readonly #paths = new Map<string, Entry>();
  readonly #prefixes = new Map<string, Entry>();
  /** Longest first. */
  #prefixOrder: readonly PrefixEntry[] = [];
  #router: Promise<Router> | undefined = undefined;

  handle(path: string, handler: Handler, { unlisted = false }: MuxOptions = {}): void {
    this.#mustBeFree(path);
    this.#paths.set(path, { handler, unlisted });
  }

  handlePrefix(prefix: string, handler: Handler, { unlisted = false }: MuxOptions = {}): void {
    if (!prefix.endsWith('/')) throw new Error(`the prefix ${prefix} must end with a slash`);
    this.#mustBeFree(prefix);
    this.#prefixes.set(prefix, { handler, unlisted });
    this.#sortPrefixes();
  }

  unregister(path: string): void {
    this.#paths.delete(path);
    if (this.#prefixes.delete(path)) this.#sortPrefixes();
  }

  listedPaths(): readonly string[] {
    return [...this.#paths, ...this.#prefixes].flatMap(([path, { unlisted }]) => (unlisted ? [] : [path])).sort();
  }

  router(): Promise<Router> {
    this.#router ??= import('express').then(({ default: express }) => express.Router());
    return this.#router;
  }

  /** The handler of a path; `otherwise` handles requests that the Router passes on. Undefined if no route matches. */
  handlerFor({ request: { path } }: Exchange, otherwise: Handler): Handler | undefined {
    const exact = this.#paths.get(path);
    if (exact !== undefined) return exact.handler;
    // By index, for speed: every request to a resource of another server of the chain runs this.
    for (let i = 0; i < this.#prefixOrder.length; i++) {
      const entry = this.#prefixOrder[i] as PrefixEntry;
      if (path.startsWith(entry[0])) return entry[1].handler;
    }
    return this.#router === undefined ? undefined : this.#routed(this.#router, otherwise);
  }

  #routed(router: Promise<Router>, otherwise: Handler): Handler {
    return async (exchange) => (await serveByRouter(await router, exchange)) ?? otherwise(exchange);
  }

  #sortPrefixes(): void {
    this.#prefixOrder = [...this.#prefixes].sort(([a], [b]) => b.length - a.length);
  }

  #mustBeFree(path: string): void {
    if (this.#paths.has(path) || this.#prefixes.has(path)) throw new Error(`the path ${path} is handled already`);
  }
}
