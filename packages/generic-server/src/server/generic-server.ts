import type { APIGroupInfo, Handler, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { ApiContainer } from '@apiserver/endpoints-installer';
import type { ListeningAddress } from '../config/server-context.js';
import type { HealthCheck } from '../health/health-check.js';
import type { PostStartHook } from '../lifecycle/post-start-hook.js';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import type { HandlerSource } from './director.js';

/** Runs when shutdown starts, while the server still responds; shutdown waits for it. */
export type PreShutdownHook = () => Promise<void> | void;

/**
 * The interface to the server behind this one in the chain.
 * Upstream: k8s.io/apiserver/pkg/server.DelegationTarget
 */
export interface DelegationTarget {
  /**
   * Handles a request without the handler chain, which has run in the outermost server. Undefined if there is no
   * handler.
   */
  readonly unprotectedHandler: Handler | undefined;
  readonly postStartHooks: ReadonlyMap<string, PostStartHook>;
  readonly preShutdownHooks: ReadonlyMap<string, PreShutdownHook>;
  readonly healthChecks: readonly HealthCheck[];
  listedPaths(): readonly string[];
  /** Installs what depends on all API groups, inner servers first. Idempotent. */
  prepareRun(): void;
  /** Disposes the server's disposables, inner servers last, then those of the shared context. */
  dispose(): Promise<void>;
}

/** Options of running a server. */
export interface PrepareOptions {
  /**
   * If true, the server takes no port even if the config names one: its handler is mounted elsewhere. Default: false.
   */
  readonly withoutPort?: boolean;
}

/** A server with everything installed. Upstream: k8s.io/apiserver/pkg/server.preparedGenericAPIServer */
export interface PreparedServer {
  /** The full chain, for tests and for mounting elsewhere. */
  readonly handler: Handler;
  /** Settles when `run` listens (or could not). */
  readonly listening: Promise<ListeningAddress>;
  /**
   * Serves until `signal` aborts, then shuts down: /readyz fails, the delay passes while pre-shutdown hooks run,
   * requests in flight finish, watches end, the listener closes, and the disposables are disposed. Resolves after that.
   * Rejects if the port is unavailable or a post-start hook fails.
   */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * An API server, alone or as part of a delegation chain: groups, other paths, health checks, hooks.
 * Upstream: k8s.io/apiserver/pkg/server.GenericAPIServer
 */
export interface GenericServer extends DelegationTarget {
  readonly name: string;
  /** The API groups; the server of custom resources installs and uninstalls groups at run time. */
  readonly apiContainer: ApiContainer;
  installApiGroup(info: APIGroupInfo): void;
  /** Adds a source of handlers for paths that are not resources, such as discovery and OpenAPI. It precedes the mux. */
  addHandlerSource(source: HandlerSource): void;
  /** Paths besides the API groups. */
  readonly nonGoRestfulMux: NonGoRestfulMux;
  /** Throws when the name is taken or the server runs already. */
  addPostStartHook(name: string, hook: PostStartHook): void;
  addPreShutdownHook(name: string, hook: PreShutdownHook): void;
  /** Checks for /healthz, /livez and /readyz; throw after prepareRun. */
  addHealthChecks(...checks: readonly HealthCheck[]): void;
  /** As addHealthChecks, but /livez ignores them during `livezGracePeriod`: for steps of every start. */
  addBootSequenceHealthChecks(...checks: readonly HealthCheck[]): void;
  addReadyzChecks(...checks: readonly HealthCheck[]): void;
  addLivezChecks(...checks: readonly HealthCheck[]): void;
  /** Disposed in reverse order at the end of a shutdown. */
  readonly disposables: AsyncDisposableStack;
  /** The filters around the director. */
  readonly handler: Handler;
  /** In-process calls of `handler` as system:apiserver. */
  readonly loopbackClient: LoopbackClient;
  /** Prepares this server and its delegates. Only the outermost server is run. */
  prepareServer(options?: PrepareOptions): PreparedServer;
}
