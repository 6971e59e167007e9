import type { Describe } from '@apiserver/api';
import type { GroupVersion } from '@apiserver/apimachinery';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import type { ApiContainer } from '../container/api-container.js';
import type { RemoteSpec } from './remote/remote-spec.js';

/** The document of version 2 of the server of an APIService. */
export interface NamedRemoteSpec {
  /** The name of the APIService. */
  readonly name: string;
  readonly spec: RemoteSpec;
}

/** OpenAPI documents that other servers have. */
export interface RemoteOpenApiDocuments {
  /** URLs of documents of version 3 by name, such as `apis/example.com/v1`. */
  urls(): ReadonlyMap<string, string>;
  /** Undefined if no server has the document. */
  handlerFor(name: string): Handler | undefined;
  /** Documents of version 2 that are merged with ours, in this order. */
  specs(): readonly NamedRemoteSpec[];
  onChange(listener: (version: 'v2' | 'v3') => void): void;
}

/** Dependencies of OpenAPI besides the container. */
export interface OpenApiOptions {
  readonly container: Pick<ApiContainer, 'installed' | 'onChange'>;
  readonly logger: Logger;
  /** Default: Kubernetes, unversioned. */
  readonly info?: { readonly title?: string; readonly version?: string };
  /**
   * Loads the descriptions of definitions, fields and parameters; called once, before the first document. Default:
   * those built with the api package.
   */
  readonly describe?: () => Promise<Describe>;
  /** Additional group versions that this server knows. Options and watch events are kinds of each of them. */
  readonly knownGroupVersions?: readonly GroupVersion[];
  /** True if clients can authenticate by bearer token. Default true. */
  readonly bearerTokens?: boolean;
  /** List the values of string types that have them. Default true. Upstream feature gate: OpenAPIEnums */
  readonly enums?: boolean;
  /** True if the server has `/version`. Default true. */
  readonly hasVersionPath?: boolean;
  /** True if the server publishes the keys of its service account tokens. Default false. */
  readonly hasOpenIdPaths?: boolean;
  /** Listed beside those of the container, which come first. Default: none. */
  readonly remote?: RemoteOpenApiDocuments;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
}
