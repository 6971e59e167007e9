import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, Authorizer, LoopbackClient } from '@apiserver/apiserver-contracts';
import { formatKubeconfig, localHost, type StandAloneIdentity } from '@apiserver/bootstrap-pki';
import { silentLogger } from '@apiserver/component-base/logging';
import { writeFileAtomically } from '@apiserver/component-base/process';
import {
  completeGenericServerConfig,
  type GenericServerConfig,
  newGenericServerConfig,
} from '../config/generic-server-config.js';
import { type ListeningAddress, newServerContext } from '../config/server-context.js';
import type { AppliedAuthentication } from '../options/client-authorities.js';
import { newGenericServer } from '../server/api-server.js';
import type { GenericServer, PreparedServer } from '../server/generic-server.js';
import { toExpress } from '../serving/to-express.js';
import type { ApiServerOptions, AuthenticationApplier, AuthorizationApplier } from './api-server-options.js';
import { applyServing, makeIdentity } from './apply-serving.js';
import { checkOptions } from './check-options.js';
import { defaultAuthentication, defaultAuthorizer } from './default-access.js';
import { installGroups } from './install-groups.js';

/** A function of an express app, or of any framework over node:http. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** A Kubernetes-style API server inside a program. */
export interface ApiServer extends AsyncDisposable {
  /** The server itself, for paths, hooks and health checks of your own. */
  readonly server: GenericServer;
  /** Calls in this process, as system:apiserver. */
  readonly client: LoopbackClient;
  /**
   * Listens on its port, and resolves with `https://host:port` when it is ready. Call either this or `mount`, once.
   * Rejects when the port cannot be had or a post-start hook fails.
   */
  listen(): Promise<string>;
  /**
   * Starts without a port, and resolves with a function for an express app when it is ready. The app must not read
   * bodies before it. Use an authenticator of your own: there may be no TLS by which the app's clients show
   * certificates.
   */
  mount(): Promise<RequestListener>;
  /**
   * The administrator's kubeconfig, once the server listens. Throws an Error before that, and for a server whose
   * authentication is not the default.
   */
  kubeconfig(): string;
  /** Writes the administrator's kubeconfig, readable by its owner alone. Throws as `kubeconfig` does. */
  writeKubeconfig(path: string): void;
  /** Settles when the server has ended; rejects when it failed. */
  readonly ended: Promise<void>;
  /** Ends it in order: requests in flight finish, watches end, the storage is closed. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes an API server of groups of one's own: REST verbs, watch, discovery, OpenAPI, Table output, health and metrics
 * as clients of Kubernetes expect them. Rejects with an Error when a certificate, a kubeconfig or the core server
 * cannot be used; the storage is disposed then. Rejects with a StartupError for options that are unknown or of another
 * type.
 *
 * ```ts
 * await using api = await createApiServer({ groups: [{ resources: [flunders] }], storage: createMemoryStore() });
 * console.log(await api.listen());
 * api.writeKubeconfig('flunders.kubeconfig');
 * ```
 */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  checkOptions(options);
  const { storage, logger = silentLogger, name = 'apiserver', configure, extend } = options;
  const config = newGenericServerConfig(newServerContext({ logger: logger.named(name) }));
  config.disposables.use(storage);
  let server: GenericServer | undefined;
  try {
    const made = await applyOptions(options, config);
    configure?.(config);
    server = newGenericServer(completeGenericServerConfig(config), { name });
    installGroups(server, options.groups, { name, storage, config });
    extend?.(server);
    config.loopback.serve(server.handler);
    config.signals.muxAndDiscoveryComplete.signal();
    void config.signals.postStartHooksDone.signaled.then(() => config.signals.ready.signal());
    return new RunnableServer({ server, config, name, ...made });
  } catch (error) {
    await (server === undefined ? config.disposables.disposeAsync() : server.dispose());
    throw error;
  }
}

/** The generated identity, and the trust of clients in the server. */
interface MadeTrust {
  readonly identity: StandAloneIdentity;
  /** PEM of the authority of the serving certificate. */
  readonly servingTrust: string;
  readonly isDefaultAuthentication: boolean;
}

async function applyOptions(options: ApiServerOptions, config: GenericServerConfig): Promise<MadeTrust> {
  const { serving = {}, authentication, authorization = defaultAuthorizer(), admission } = options;
  const made = await makeIdentity(serving, config);
  const { authority } = made.identity;
  const authorities = await applyAuthentication(authentication ?? defaultAuthentication(authority), config);
  if (isApplier(authorization)) authorization.applyTo(config);
  else config.authorizer = authorization;
  if (admission !== undefined) config.admission = admission;
  const { certificate } = applyServing(serving, config, made, authorities);
  return {
    identity: made.identity,
    servingTrust: certificate === made.identity.serving.certificate ? authority : certificate,
    isDefaultAuthentication: authentication === undefined,
  };
}

async function applyAuthentication(
  authentication: Authenticator | AuthenticationApplier,
  config: GenericServerConfig,
): Promise<AppliedAuthentication['authorities']> {
  if (isApplier(authentication)) return (await authentication.applyTo(config)).authorities;
  config.authenticator = authentication;
  return [];
}

function isApplier<A extends AuthenticationApplier | AuthorizationApplier>(
  given: A | Authenticator | Authorizer,
): given is A {
  return 'applyTo' in given;
}

interface RunnableServerContext extends MadeTrust {
  readonly server: GenericServer;
  readonly config: GenericServerConfig;
  readonly name: string;
}

class RunnableServer implements ApiServer {
  readonly server: GenericServer;
  readonly client: LoopbackClient;
  readonly ended: Promise<void>;
  readonly #context: RunnableServerContext;
  readonly #ended = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #isStarted = false;
  #address: ListeningAddress | undefined;

  constructor(context: RunnableServerContext) {
    this.#context = context;
    this.server = context.server;
    this.client = context.server.loopbackClient;
    this.ended = this.#ended.promise;
    // `listen` and `mount` report a failure too.
    this.ended.catch(() => {});
  }

  async listen(): Promise<string> {
    const prepared = this.#start(false);
    this.#address = await prepared.listening;
    await this.#ready();
    return this.#url();
  }

  async mount(): Promise<RequestListener> {
    const { handler } = this.#start(true);
    await this.#ready();
    const { logger, now } = this.#context.config;
    return toExpress(handler, { logger, now });
  }

  kubeconfig(): string {
    const { identity, isDefaultAuthentication, name, servingTrust } = this.#context;
    if (!isDefaultAuthentication) throw new Error('a server with authentication of its own has no administrator');
    return formatKubeconfig({
      name,
      server: this.#url(),
      certificateAuthority: servingTrust,
      clientCertificate: identity.admin.certificate,
      clientKey: identity.admin.key,
    });
  }

  writeKubeconfig(path: string): void {
    writeFileAtomically(path, this.kubeconfig(), 0o600);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    if (this.#isStarted) return this.ended;
    this.#isStarted = true;
    await this.server.dispose();
    this.#ended.resolve();
  }

  #start(withoutPort: boolean): PreparedServer {
    if (this.#isStarted) throw new Error('the server was started or disposed already');
    this.#isStarted = true;
    const prepared = this.server.prepareServer({ withoutPort });
    prepared.listening.catch(() => {});
    prepared.run(this.#stop.signal).then(this.#ended.resolve, this.#ended.reject);
    return prepared;
  }

  /** Rejects if the server is disposed before it is ready. */
  async #ready(): Promise<void> {
    const { ready } = this.#context.config.signals;
    const isReady = await Promise.race([ready.signaled.then(() => true), this.ended.then(() => false)]);
    if (!isReady) throw new Error('the server was disposed before it was ready');
  }

  #url(): string {
    if (this.#address === undefined) throw new Error('the server does not listen yet');
    const { address, port } = this.#address;
    return `https://${localHost(address)}:${port}`;
  }
}
