/** A field that is new to the other side and stays so: it need not remember it. Upstream: RFC 7541, section 6.2.2 */
const LITERAL = 0;

/** A header block that refers to no table, so that the same bytes serve any number of requests. Names in small letters. */
export function encodeHeaderBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(LITERAL), ...text(name), ...text(value)]));
}

function text(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  return [lengthOf(bytes.length), bytes];
}

/** A number that begins in seven bits. Upstream: RFC 7541, section 5.1 */
function lengthOf(value: number): Buffer {
  if (value < 0x7f) return Buffer.of(value);
  const bytes = [0x7f];
  let rest = value - 0x7f;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}
