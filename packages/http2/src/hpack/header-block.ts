/** A literal field without indexing: the peer does not store it. Upstream: RFC 7541, section 6.2.2 */
const LITERAL = 0;

/**
 * A header block without references to a table, so that the same bytes serve any number of requests. Names are in lower
 * case.
 */
export function encodeHeaderBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(LITERAL), ...text(name), ...text(value)]));
}

function text(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  return [lengthOf(bytes.length), bytes];
}

/** An integer with a prefix of seven bits. Upstream: RFC 7541, section 5.1 */
function lengthOf(value: number): Buffer {
  if (value < 0x7f) return Buffer.of(value);
  const bytes = [0x7f];
  let rest = value - 0x7f;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}
