import type { StructSchema } from '../../schema/schema.js';
import { decodeExact } from '../json/exact-decoder.js';
import { stringifyJson } from '../json/stringify-json.js';

/**
 * The metadata of a custom resource in canonical form: it is typed, unlike the rest. `unknown` names the members that
 * metadata does not have, relative to it. Throws DecodeError with upstream's text for a wrong type.
 *
 * Upstream: GetObjectMetaWithOptions of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
 */
export function typedMetadata(
  value: unknown,
  schema: StructSchema,
): { readonly metadata: { [key: string]: unknown }; readonly unknown: readonly string[] } {
  const { value: metadata, unknownPaths } = decodeExact(Buffer.from(stringifyJson(value), 'utf8'), schema, true);
  return { metadata: metadata as { [key: string]: unknown }, unknown: unknownPaths };
}
