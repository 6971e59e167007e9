import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inSlices } from '@apiserver/apimachinery/clock';
import { once } from '@apiserver/apimachinery/lazy';
import { contentHashSteps } from '../../discovery/discovery-document.js';
import { parsedDocument } from './parsed-document.js';
import { sharedOnce } from './shared-once.js';

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

/** Encodes a document in protobuf, in steps. */
export type EncodeDocument = (document: unknown) => Generator<void, Uint8Array>;

/** Of a document that is served as JSON alone. */
// biome-ignore lint/correctness/useYield: it is short
export const noProtobuf: EncodeDocument = function* () {
  return new Uint8Array();
};

/** A document with this JSON. */
export async function serializeDocument(
  text: string,
  lastModified: number,
  encodeProtobuf: EncodeDocument,
): Promise<SerializedDocument> {
  const json = Buffer.from(text);
  const hash = await inSlices(contentHashSteps(json));
  const protobuf = sharedOnce(async () => {
    const document = await parsedDocument(json.toString());
    // To parse a document of megabytes takes tens of milliseconds.
    await setImmediate();
    return inSlices(encodeProtobuf(document));
  });
  const bytes = (form: DocumentForm): Promise<Uint8Array> => (form === 'json' ? Promise.resolve(json) : protobuf());
  const compressed = { json: once(() => gzipBytes(json)), protobuf: once(async () => gzipBytes(await protobuf())) };
  return { hash, lastModified, bytes, gzip: (form) => compressed[form]() };
}

/** Compresses off the event loop. */
export async function gzipBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(bytes);
}
