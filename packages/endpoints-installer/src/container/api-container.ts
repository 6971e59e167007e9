import type { GroupVersion } from '@apiserver/apimachinery';
import type {
  AdmissionChain,
  APIGroupInfo,
  Authorizer,
  Exchange,
  Handler,
  Logger,
} from '@apiserver/apiserver-contracts';

/** What the verb handlers of a container need; limits and times have upstream's defaults. */
export interface ApiContainerOptions {
  readonly admission: AdmissionChain;
  /** Asked for `create` when an update or a patch would make an object that does not exist. */
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
  /** In [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /** Largest request body in bytes; above it a 413. Default 3 MiB. Upstream flag: none (MaxRequestBodyBytes). */
  readonly maxRequestBodyBytes?: number;
  /**
   * Seconds that a watch without timeoutSeconds lives at least; it ends at random before twice that, so that clients
   * spread. Default 1800. Upstream flag: --min-request-timeout
   */
  readonly minRequestTimeoutSeconds?: number;
  /** Bytes that a watch may have queued for a client that does not read, before it is cut off. Default 1 MiB. */
  readonly maxWatchBufferBytes?: number;
}

/**
 * The API groups of a server: installs them as routes and finds the handler of a request by one look-up. Groups come and
 * go at run time.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/installer.go and the go-restful container behind it
 */
export interface ApiContainer {
  /**
   * Serves the resources of `info` from now on, beside what is already installed for the group.
   * Throws when a resource is already served in one of the versions. Answers a function that takes exactly these off.
   */
  install(info: APIGroupInfo): () => void;
  /** Takes a whole group version off; does nothing when it is not there. */
  uninstall(group: string, version: string): void;
  /**
   * The handler of an exchange whose context has its RequestInfo, or undefined when the path is none of this container's
   * resources and another server may know it: another API group, a path that is no API. What lies below an installed
   * group and does not exist is answered here: 404, or 405 for a method that the path does not have.
   */
  handlerFor(exchange: Exchange): Handler | undefined;
  /** What is installed, in order of installation, versions of a group in order of preference. */
  groupVersions(): readonly GroupVersion[];
  /** What was given to `install` and is still there; of partly uninstalled groups what is left. */
  installed(): readonly APIGroupInfo[];
  /** Calls `listener` after every install and uninstall. Answers a function that takes it off. */
  onChange(listener: () => void): () => void;
}
