/**
 * Reads a whole text of at most this many bytes. Throws what `tooLarge` makes if there are more; the stream then ends.
 */
export async function readText(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<string> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    all.push(chunk);
  }
  return Buffer.concat(all).toString();
}
