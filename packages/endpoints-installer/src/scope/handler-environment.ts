import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { Deadlines } from '@apiserver/apimachinery/clock';
import type { YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { AdmissionChain, Authorizer, Logger } from '@apiserver/apiserver-contracts';
import type { Cbor } from './cbor.js';
import type { ChunkMemory } from './chunk-memory.js';
import type { EndpointMetrics } from './endpoint-metrics.js';

/**
 * `yamlToJsonText` beside this thread. Rejects with a DecodeError for what is no YAML, and with the reason of `signal` when that
 * aborts.
 */
export type ParseLargeYaml = (
  bytes: Uint8Array,
  maxValues: number,
  signal: AbortSignal,
) => Promise<YamlText | undefined>;

/** What all handlers of a container share. */
export interface HandlerEnvironment {
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Undefined: CBOR is neither served nor taken. */
  readonly cbor?: Cbor | undefined;
  /** Undefined: YAML of any size is parsed in place. */
  readonly parseLargeYaml?: ParseLargeYaml | undefined;
  /**
   * Deletes may ask to pass over what cannot be read; otherwise nobody hears that they ask.
   * Upstream feature gate: AllowUnsafeMalformedObjectDeletion
   */
  readonly unsafeDeletion: boolean;
  /** Of writes. */
  readonly deadlines: Deadlines;
  /** Of lists. */
  readonly chunkMemory: ChunkMemory;
  readonly maxRequestBodyBytes: number;
  readonly minRequestTimeoutSeconds: number;
  readonly maxWatchBufferBytes: number;
  readonly metrics: EndpointMetrics;
  /** The documentation of a field, by OpenAPI definition and field name; "" when there is none. */
  readonly fieldDescription: (definition: string, field: string) => string;
  /** Whether objects of this kind are served anywhere here; it decides how a body of the wrong kind is refused. */
  readonly knowsKind: (kind: GroupVersionKind) => boolean;
}
