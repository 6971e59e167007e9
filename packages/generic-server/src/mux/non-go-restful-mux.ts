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

/** Options of a path. */
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
  /** A bit for the first letter of each path and prefix that was ever handled; several letters share one. */
  #letters = 0;

  handle(path: string, handler: Handler, { unlisted = false }: MuxOptions = {}): void {
    this.#mustBeFree(path);
    this.#paths.set(path, { handler, unlisted });
    this.#letters |= letterOf(path);
  }

  handlePrefix(prefix: string, handler: Handler, { unlisted = false }: MuxOptions = {}): void {
    if (!prefix.endsWith('/')) throw new Error(`the prefix ${prefix} must end with a slash`);
    this.#mustBeFree(prefix);
    this.#prefixes.set(prefix, { handler, unlisted });
    this.#letters |= prefix === '/' ? ALL_LETTERS : letterOf(prefix);
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
    // Every request to a resource of another server of the chain comes here. A look-up would hash its path.
    const handler = (this.#letters & letterOf(path)) === 0 ? undefined : this.#handlerOf(path);
    if (handler !== undefined || this.#router === undefined) return handler;
    return this.#routed(this.#router, otherwise);
  }

  #handlerOf(path: string): Handler | undefined {
    const exact = this.#paths.get(path);
    return exact === undefined
      ? this.#prefixOrder.find(([prefix]) => path.startsWith(prefix))?.[1].handler
      : exact.handler;
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

const ALL_LETTERS = -1;

/** The bit of the first letter after the slash; "/" alone has one, too. */
function letterOf(path: string): number {
  return 1 << (path.charCodeAt(1) & 31);
}
