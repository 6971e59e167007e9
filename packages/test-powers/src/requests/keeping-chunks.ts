import { Buffer } from 'node:buffer';
import type { ChunksResponse } from '@apiserver/apiserver-contracts';
import { MAX_BODY_BYTES } from './kept-body.js';

/** The same response, whose body `keep` gets at the end, unless it is too large. */
export function keepingChunks(response: ChunksResponse, keep: (body: Uint8Array) => void): ChunksResponse {
  const copy = new BodyCopy(keep);
  const { chunks } = response;
  return { ...response, chunks: Symbol.iterator in chunks ? copied(chunks, copy) : copiedLater(chunks, copy) };
}

/** Copies, because the memory of chunks may be used again. */
class BodyCopy {
  #chunks: Buffer[] | undefined = [];
  #length = 0;
  readonly #keep: (body: Uint8Array) => void;

  constructor(keep: (body: Uint8Array) => void) {
    this.#keep = keep;
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > MAX_BODY_BYTES) this.#chunks = undefined;
    else this.#chunks?.push(Buffer.from(chunk));
  }

  end(): void {
    if (this.#chunks !== undefined) this.#keep(Buffer.concat(this.#chunks));
  }
}

function* copied(chunks: Iterable<Uint8Array>, copy: BodyCopy): Generator<Uint8Array> {
  for (const chunk of chunks) {
    copy.add(chunk);
    yield chunk;
  }
  copy.end();
}

async function* copiedLater(chunks: AsyncIterable<Uint8Array>, copy: BodyCopy): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    copy.add(chunk);
    yield chunk;
  }
  copy.end();
}
