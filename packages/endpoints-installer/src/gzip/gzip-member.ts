import { crc32 } from 'node:zlib';
import type { CompressedRun } from '@apiserver/apiserver-contracts';
import { combineCrc32 } from './crc32-combine.js';

/** Magic, deflate, no flags, no time, fastest compression, unknown system: as Go writes it. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** Bytes that one stored block can hold. */
const MAX_STORED = 0xffff;
/** The block that ends a member: stored, without content. */
const LAST_BLOCK = [1, 0, 0, 0xff, 0xff];

/**
 * One gzip member, made of parts: compressed runs as they are, and literal bytes between them in stored blocks. All
 * parts end at a byte. Call the methods in the order of the body, and send what they return.
 */
export class GzipMember {
  #checksum = 0;
  #length = 0;

  begin(): Uint8Array {
    return HEADER;
  }

  /** Bytes that are too few to compress. */
  literal(bytes: Uint8Array): Uint8Array {
    this.#checksum = crc32(bytes, this.#checksum);
    this.#length += bytes.length;
    return storedBlocks(bytes);
  }

  run({ deflated, checksum, length }: CompressedRun): Uint8Array {
    this.#checksum = combineCrc32(this.#checksum, checksum, length);
    this.#length += length;
    return deflated;
  }

  end(): Uint8Array {
    const end = Buffer.alloc(LAST_BLOCK.length + 8);
    end.set(LAST_BLOCK);
    end.writeUInt32LE(this.#checksum, LAST_BLOCK.length);
    end.writeUInt32LE(this.#length % 2 ** 32, LAST_BLOCK.length + 4);
    return end;
  }
}

function storedBlocks(bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MAX_STORED) {
    const content = bytes.subarray(at, at + MAX_STORED);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(content.length, 1);
    head.writeUInt16LE(content.length ^ 0xffff, 3);
    blocks.push(head, content);
  }
  return Buffer.concat(blocks);
}
