/** The encodings that objects are served and taken in. */
export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export const JSON_MEDIA_TYPE = 'application/json' satisfies MediaType;
export const YAML_MEDIA_TYPE = 'application/yaml' satisfies MediaType;
export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf' satisfies MediaType;

/** What built-in kinds are served in, the default first. */
export const builtInMediaTypes: readonly MediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE];

/** What kinds without protobuf numbers (custom resources) are taken in, and documented with. */
export const structuralMediaTypes: readonly MediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE];

/** Whether a watch can be streamed in this encoding: YAML has no framing. */
export function isStreamable(mediaType: MediaType): boolean {
  return mediaType !== YAML_MEDIA_TYPE;
}

/** The media types of watches, as messages list them. */
export function streamMediaTypes(mediaTypes: readonly MediaType[]): readonly string[] {
  return mediaTypes.filter(isStreamable).map((mediaType) => `${mediaType};stream=watch`);
}
