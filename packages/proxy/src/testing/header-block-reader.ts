import { Buffer } from 'node:buffer';
import { constants, createInflate, type Inflate } from 'node:zlib';
import { headerDictionary } from './header-dictionary.js';

/** Parses the header blocks of one connection, in the order received. */
export class HeaderBlockReader {
  readonly #inflate: Inflate = createInflate({
    dictionary: headerDictionary(),
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  #last: Promise<unknown> = Promise.resolve();

  read(block: Uint8Array): Promise<Readonly<Record<string, string>>> {
    const read = this.#last.then(() => this.#inflateNext(block)).then(decodePairs);
    this.#last = read.catch(() => {});
    return read;
  }

  #inflateNext(block: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      const collect = (part: Buffer) => parts.push(part);
      this.#inflate.on('data', collect).once('error', reject);
      this.#inflate.write(block, () =>
        this.#inflate.flush(constants.Z_SYNC_FLUSH, () => {
          this.#inflate.off('data', collect).off('error', reject);
          resolve(Buffer.concat(parts));
        }),
      );
    });
  }
}

function decodePairs(block: Buffer): Record<string, string> {
  let at = 4;
  const next = () => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  const pairs = Array.from({ length: block.readUInt32BE(0) }, () => [next(), next()] as const);
  return Object.fromEntries(pairs);
}
