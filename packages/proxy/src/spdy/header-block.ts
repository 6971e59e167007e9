import { Buffer } from 'node:buffer';

/** Maximum length of a stored DEFLATE block. */
const MAX_STORED_BYTES = 0xffff;
/** The header of a zlib stream without a preset dictionary, at the fastest level. */
const ZLIB_HEAD = [0x78, 0x01];

/** An empty stored block. It marks a flush, which Go's reader waits for. */
const SYNC_FLUSH = [0x00, 0x00, 0x00, 0xff, 0xff];

/**
 * Serializes the header blocks of one connection as a single zlib stream. Blocks are stored, not compressed: every
 * reader accepts that, the writer keeps no state between blocks, and our blocks have about twenty bytes.
 * Upstream: section 2.6.10 of the SPDY/3 draft
 */
export class HeaderBlockWriter {
  #begun = false;

  /** Writes names in lower case. Throws a RangeError for more than 64 KiB. */
  write(headers: Readonly<Record<string, string>>): Buffer {
    const pairs = encodePairs(headers);
    if (pairs.length > MAX_STORED_BYTES) throw new RangeError('the headers of a stream are too long');
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(pairs.length, 1);
    stored.writeUInt16LE(~pairs.length & 0xffff, 3);
    const head = this.#begun ? [] : [Buffer.from(ZLIB_HEAD)];
    this.#begun = true;
    return Buffer.concat([...head, stored, pairs, Buffer.from(SYNC_FLUSH)]);
  }
}

function encodePairs(headers: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(headers);
  const texts = entries.flatMap(([name, value]) => [prefixed(name.toLowerCase()), prefixed(value)]);
  return Buffer.concat([lengthOf(entries.length), ...texts]);
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
