import type { Buffer } from 'node:buffer';
import { detectContentType } from './detect-content-type.js';

/** The head of a response leaves after this time, even without a body. Upstream: defaultFlushInterval */
const HEAD_DELAY_MS = 200;

/** A body, and the type that its beginning suggests; undefined if it is empty or late. */
export interface TypedBody {
  readonly type: string | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Waits for the beginning of a body and guesses its type. Upstream: Go's server, which buffers it with the head */
export async function withGuessedType(chunks: AsyncIterable<Buffer>): Promise<TypedBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = iterator.next();
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, HEAD_DELAY_MS, undefined);
  // The reader of the chunks gets a failure.
  const read = await Promise.race([first, late]).catch(() => undefined);
  clearTimeout(timer);
  const type = read === undefined || read.done ? undefined : detectContentType(read.value);
  return { type, chunks: resumed(first, iterator) };
}

async function* resumed(
  first: Promise<IteratorResult<Buffer>>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void> {
  for (let next = await first; !next.done; next = await rest.next()) yield next.value;
}
