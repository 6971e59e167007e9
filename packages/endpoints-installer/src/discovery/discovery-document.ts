import { createHash } from 'node:crypto';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { MediaType } from '../negotiation/media-types.js';
import { encoderOf } from '../scope/object-form.js';

/** A discovery document that is encoded on first use and then cached, once per encoding. */
export interface DiscoveryDocument {
  readonly value: object;
  /** Without a newline after JSON. */
  encode(mediaType: MediaType): Uint8Array;
  /** Hash of the document's content, the same for all encodings; upper-case hexadecimal. */
  etag(): string;
}

/** Compiles a kind on its first use. */
export type CodecOf = <T>(schema: KindSchema<T>) => KindCodec<T>;

/** Codecs of discovery's few kinds, made on demand. */
export function createCodecs(): CodecOf {
  const codecs = new Map<unknown, unknown>();
  return <T>(schema: KindSchema<T>) => {
    const known = codecs.get(schema) ?? compileKind(schema);
    codecs.set(schema, known);
    return known as KindCodec<T>;
  };
}

/** A document of the given kind. */
export function createDocument<T extends object>(codec: KindCodec<T>, value: T): DiscoveryDocument {
  const encoded = new Map<MediaType, Uint8Array>();
  let hash: string | undefined;
  const encode = (mediaType: MediaType): Uint8Array => {
    const known = encoded.get(mediaType);
    if (known !== undefined) return known;
    // A copy: encoded bytes may be in Buffer's pool, all of which would live as long as the document.
    const bytes = new Uint8Array(encoderOf(codec, mediaType)(value));
    encoded.set(mediaType, bytes);
    return bytes;
  };
  return {
    value,
    encode,
    etag: () => (hash ??= contentHash(codec.encodeJson({ ...value, kind: '', apiVersion: '' }))),
  };
}

/**
 * The hash of upstream's ETags, in upper-case hexadecimal.
 *
 * Upstream: calculateETag in k8s.io/apiserver/pkg/endpoints/discovery/aggregated/etag.go
 */
function contentHash(bytes: Uint8Array): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

/** Bytes of one step. */
const HASHED_BYTES = 512 * 1024;

/** The same in steps, for documents of megabytes. */
export function* contentHashSteps(bytes: Uint8Array): Generator<void, string> {
  const hash = createHash('sha512');
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    yield;
  }
  return hash.digest('hex').toUpperCase();
}
