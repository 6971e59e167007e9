import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';

/** The largest body that is kept, in bytes. */
export const MAX_BODY_BYTES = 128 * 1024;

/** The bytes of a body, and what they mean. */
export interface BodyForm {
  readonly contentType: string;
  /** Default: none. */
  readonly contentEncoding?: string | undefined;
}

/** Decodes the body of a media type that is neither JSON nor text; undefined if it cannot. */
export type DecodeBody = (bytes: Uint8Array, mediaType: string) => unknown;

/** A body that was sent or received. It is decoded on first use. */
export class KeptBody {
  readonly #contentType: string;
  readonly #contentEncoding: string | undefined;
  /** Undefined if the body was too large to be kept. */
  readonly #bytes: Uint8Array | undefined;
  #decoded: { readonly value: unknown } | undefined = undefined;

  /** The bytes must not change, and should be no small part of a large buffer. */
  constructor(bytes: Uint8Array | undefined, { contentType, contentEncoding }: BodyForm) {
    this.#bytes = bytes;
    this.#contentType = contentType;
    this.#contentEncoding = contentEncoding;
  }

  /** Bytes that are kept. */
  get size(): number {
    return this.#bytes?.length ?? 0;
  }

  /** The media type without parameters. */
  get mediaType(): string {
    return this.#contentType.split(';', 1)[0]?.trim() ?? '';
  }

  /**
   * JSON as a value, and text as a string. Undefined for an empty body, one that was too large, and other encodings.
   */
  decode(decodeOther: DecodeBody): unknown {
    this.#decoded ??= { value: this.#decode(decodeOther) };
    return this.#decoded.value;
  }

  #decode(decodeOther: DecodeBody): unknown {
    const bytes = this.#bytes;
    if (bytes === undefined || bytes.length === 0) return undefined;
    const { mediaType } = this;
    try {
      const plain = this.#contentEncoding === 'gzip' ? gunzipSync(bytes) : bytes;
      const isText = mediaType === '' || mediaType.startsWith('text/') || /[/+](?:json|yaml)$/.test(mediaType);
      if (!isText) return decodeOther(plain, mediaType);
      const text = Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString();
      return mediaType.endsWith('json') || mediaType.endsWith('apply-patch+yaml') ? jsonOrText(text) : text;
    } catch {
      return undefined;
    }
  }
}

/** Clients of server-side apply send JSON as YAML. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
