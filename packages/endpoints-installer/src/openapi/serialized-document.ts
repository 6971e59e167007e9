import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';
import { once } from '@apiserver/apimachinery/lazy';
import { contentHash } from '../discovery/discovery-document.js';

/** The encodings a document is served in. */
export type DocumentForm = 'json' | 'protobuf';

/** An OpenAPI document as bytes. Each form is encoded on its first use, and cached with its compressed form. */
export interface SerializedDocument {
  /** Hash of the JSON form, used for all forms; upper-case hexadecimal. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  bytes(form: DocumentForm): Promise<Uint8Array>;
  gzip(form: DocumentForm): Promise<Uint8Array>;
}

/** Smaller bodies are not worth compressing. Upstream: github.com/NYTimes/gziphandler (DefaultMinSize) */
export const MIN_GZIP_BYTES = 1400;

/** A document with this JSON. */
export function serializeDocument(
  text: string,
  lastModified: number,
  encodeProtobuf: (document: unknown) => Uint8Array,
): SerializedDocument {
  const json = Buffer.from(text);
  const protobuf = once(async () => {
    const document = parseJsonText(json.toString());
    // Each of the two steps takes tens of milliseconds for a document of megabytes.
    await setImmediate();
    return encodeProtobuf(document);
  });
  const bytes = (form: DocumentForm): Promise<Uint8Array> => (form === 'json' ? Promise.resolve(json) : protobuf());
  const compressed = { json: once(() => gzipBytes(json)), protobuf: once(async () => gzipBytes(await protobuf())) };
  return { hash: contentHash(json), lastModified, bytes, gzip: (form) => compressed[form]() };
}

/** Compresses off the event loop. */
export async function gzipBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(bytes);
}
