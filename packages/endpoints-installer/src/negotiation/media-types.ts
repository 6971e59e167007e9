/** The encodings of objects in requests and responses. */
export type MediaType =
  | 'application/json'
  | 'application/yaml'
  | 'application/vnd.kubernetes.protobuf'
  | 'application/cbor';

/** The encodings that every server supports. */
const JSON_MEDIA_TYPE = 'application/json' satisfies MediaType;
const YAML_MEDIA_TYPE = 'application/yaml' satisfies MediaType;
export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf' satisfies MediaType;
/** Supported if its codec is set (`HandlerEnvironment.cbor`). */
const CBOR_MEDIA_TYPE = 'application/cbor' satisfies MediaType;
/** The form of a watch in CBOR: consecutive items. Upstream: RFC 8742 */
const CBOR_SEQUENCE = 'application/cbor-seq';

/** Encodings of built-in kinds, the default first. */
export const builtInMediaTypes: readonly MediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE];

/** Encodings of request bodies for kinds without protobuf numbers (custom resources), also for their documentation. */
export const structuralMediaTypes: readonly MediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE];

/** Adds CBOR, if there is a codec for it. */
export function withCbor(mediaTypes: readonly MediaType[], cbor: object | undefined): readonly MediaType[] {
  return cbor === undefined ? mediaTypes : [...mediaTypes, CBOR_MEDIA_TYPE];
}

/** Reports whether a watch can be streamed in this encoding: YAML has no framing. */
export function isStreamable(mediaType: MediaType): boolean {
  return mediaType !== YAML_MEDIA_TYPE;
}

/** The media types of watches, as messages list them. */
export function streamMediaTypes(mediaTypes: readonly MediaType[]): readonly string[] {
  return mediaTypes
    .filter(isStreamable)
    .map((mediaType) => (mediaType === CBOR_MEDIA_TYPE ? CBOR_SEQUENCE : `${mediaType};stream=watch`));
}

/**
 * The Content-Type of a watch.
 *
 * Upstream: serveWatchHandler in k8s.io/apiserver/pkg/endpoints/handlers/watch.go
 */
export function watchContentType(mediaType: MediaType): string {
  if (mediaType === JSON_MEDIA_TYPE) return mediaType;
  return mediaType === CBOR_MEDIA_TYPE ? CBOR_SEQUENCE : `${mediaType};stream=watch`;
}
