import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { Deadlines } from '@apiserver/apimachinery/clock';
import type { YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { AdmissionChain, Authorizer, Logger } from '@apiserver/apiserver-contracts';
import type { Cbor } from './cbor.js';
import type { ChunkMemory } from './chunk-memory.js';
import type { EndpointFeatures } from './endpoint-features.js';
import type { EndpointMetrics } from './endpoint-metrics.js';
import type { EquivalentEndpoints } from './equivalent-endpoints.js';

/**
 * `yamlToJsonText` in another thread. Rejects with a DecodeError for invalid YAML, and with the reason of `signal` if
 * that aborts.
 */
export type ParseLargeYaml = (
  bytes: Uint8Array,
  maxValues: number,
  signal: AbortSignal,
) => Promise<YamlText | undefined>;

/** The shared context of a container's handlers. */
export interface HandlerEnvironment {
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Undefined: CBOR is not supported. */
  readonly cbor?: Cbor | undefined;
  /** Undefined: YAML of any size is parsed in place. */
  readonly parseLargeYaml?: ParseLargeYaml | undefined;
  /**
   * True if deletes may ignore read errors; otherwise the option is ignored. Upstream feature gate:
   * AllowUnsafeMalformedObjectDeletion
   */
  readonly unsafeDeletion: boolean;
  readonly features: EndpointFeatures;
  /** Of writes. */
  readonly deadlines: Deadlines;
  /** Of lists. */
  readonly chunkMemory: ChunkMemory;
  readonly maxRequestBodyBytes: number;
  readonly minRequestTimeoutSeconds: number;
  readonly maxWatchBufferBytes: number;
  readonly metrics: EndpointMetrics;
  /** The documentation of a field, by OpenAPI definition and field name; "" if there is none. */
  readonly fieldDescription: (definition: string, field: string) => string;
  /**
   * Reports whether the container serves built-in objects of this kind, which affects the error for a body of the wrong
   * kind. Custom kinds are in no scheme of upstream.
   */
  readonly knowsKind: (kind: GroupVersionKind) => boolean;
  /** The endpoints of the container that serve the same objects. */
  readonly equivalents: EquivalentEndpoints;
}
