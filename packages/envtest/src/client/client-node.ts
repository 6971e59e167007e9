import { createRequire } from 'node:module';
import type { Fetch } from '@apiserver/generic-server';
import { ControlPlaneError, checkFields, oneOf } from '@apiserver/test-powers';
import { InProcessDispatcher } from './in-process-dispatcher.js';

const TOO_OLD =
  'a client without a socket needs @kubernetes/client-node 2 or later; older ones work with the option { socket: true }';

/** The way of a client of @kubernetes/client-node. */
export interface ClientOptions {
  /** True: over TLS, as any other client. Default: false, in this process without a socket. */
  readonly socket?: boolean;
}

/** A request of @kubernetes/client-node 2. */
interface DispatchedRequest {
  setDispatcher(dispatcher: object): void;
}

/** The parts of a KubeConfig of @kubernetes/client-node 2 that a plane needs. */
export interface KubeConfigLike {
  loadFromString(config: string): void;
  applySecurityAuthentication(context: DispatchedRequest): Promise<void>;
}

/** The access of the client's user. */
export interface ClientAccess {
  readonly kubeconfig: string;
  readonly fetch: Fetch;
  /** The user is impersonated, and has more than a name. */
  readonly impersonatesGroups: boolean;
}

interface ClientNode {
  readonly KubeConfig: new () => KubeConfigLike & { makeApiClient<T>(api: new (config: never) => T): T };
}

/** A client of @kubernetes/client-node. Throws a ControlPlaneError if that is not installed, or cannot be this user. */
export function clientOf<T>(access: ClientAccess, api: new (config: never) => T, options?: ClientOptions): T {
  return kubeConfigOf(access, loadClientNode().KubeConfig, options).makeApiClient(api);
}

/** A KubeConfig, for watches and informers of @kubernetes/client-node too. */
export function kubeConfigOf<K extends KubeConfigLike>(
  { kubeconfig, fetch, impersonatesGroups }: ClientAccess,
  KubeConfig: new () => K,
  options: ClientOptions = {},
): K {
  checkFields(options, 'options of a client', { socket: oneOf(true, false) });
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  if (options.socket) {
    if (!impersonatesGroups) return config;
    throw new ControlPlaneError(
      "@kubernetes/client-node sends only the name of an impersonated user over TLS; use by: 'token', or no socket",
    );
  }
  const dispatcher = new InProcessDispatcher(fetch);
  // The fetch knows its user, so that no header has to be set.
  config.applySecurityAuthentication = async (context: Partial<DispatchedRequest>) => {
    if (context.setDispatcher === undefined) throw new ControlPlaneError(TOO_OLD);
    context.setDispatcher(dispatcher);
  };
  return config;
}

/** Synchronous, so that a test needs no `await` for a client. */
function loadClientNode(): ClientNode {
  try {
    return createRequire(import.meta.url)('@kubernetes/client-node');
  } catch (error) {
    throw new ControlPlaneError('plane.client needs the package @kubernetes/client-node', {
      cause: error,
    });
  }
}
