import type {
  AdmissionChain,
  AnyResourceDefinition,
  Authenticator,
  Authorizer,
  Logger,
} from '@apiserver/apiserver-contracts';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import type { AppliedAuthentication } from '../options/client-authorities.js';
import type { SecureServingOptions } from '../options/secure-serving-options.js';
import type { GenericServer } from '../server/generic-server.js';

/** An API group of the program. */
export interface ServedGroup {
  /** Kinds of one group, created by `defineResource`. Their subresources are served too. */
  readonly resources: readonly AnyResourceDefinition[];
  /** Served versions in order of preference. Default: the versions of the resources, in their order. */
  readonly versions?: readonly string[];
}

/** The port of a server and its certificate. */
export interface ServingSettings {
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: 0, for a free port. */
  readonly port?: number;
  /** PEM. Default: the server makes a certificate and an authority for it. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** Names and addresses of the made certificate besides localhost and `address`. */
  readonly names?: readonly string[];
  /** PEM of client authorities, for your own authenticator. Default: clients send no certificates. */
  readonly clientCA?: string;
  /** A folder that keeps the generated certificates between starts. Default: they exist only in the process. */
  readonly certificateDirectory?: string;
}

/** Options that write an authenticator into a config, such as DelegatingAuthenticationOptions. */
export interface AuthenticationApplier {
  applyTo(config: GenericServerConfig): Promise<AppliedAuthentication> | AppliedAuthentication;
}

/** Options that write an authorizer into a config, such as DelegatingAuthorizationOptions. */
export interface AuthorizationApplier {
  applyTo(config: GenericServerConfig): unknown;
}

/** Options of a server. Only groups and storage have no default. */
export interface ApiServerOptions {
  readonly groups: readonly ServedGroup[];
  /** Stores the objects of all groups. The server disposes it; so does a failure to create the server. */
  readonly storage: KeyValueStore;
  /** For kubeconfig, OpenAPI and log. Default: `apiserver`. */
  readonly name?: string;
  /** Default: `silentLogger`. */
  readonly logger?: Logger;
  /** Default: a free port of 127.0.0.1, with a certificate that the server makes. */
  readonly serving?: ServingSettings | SecureServingOptions;
  /**
   * Default: the administrator of the server's kubeconfig, by certificate; everybody else is anonymous. Your own
   * authenticator replaces both.
   */
  readonly authentication?: Authenticator | AuthenticationApplier;
  /** Default: members of system:masters may do everything, everybody may read /healthz, /livez and /readyz. */
  readonly authorization?: Authorizer | AuthorizationApplier;
  /** Default: everything is admitted. */
  readonly admission?: AdmissionChain;
  /** Changes the config before the server is made: filters, limits, version. */
  readonly configure?: (config: GenericServerConfig) => void;
  /** Extends the server before it runs: paths, hooks, health checks, groups with storage of their own. */
  readonly extend?: (server: GenericServer) => void;
}
