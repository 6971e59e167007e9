import { JsonMembers, jsonMember } from './json-members.js';

/** Whether a member of metadata stands before resourceVersion in the encoding. */
export type ComesBefore = (name: string) => boolean;

const BEFORE_IN_STRUCT: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid']);

/** Built-in kinds: fields in the order of upstream's ObjectMeta. */
export const structOrder: ComesBefore = (name) => BEFORE_IN_STRUCT.has(name);

/** Custom resources: keys sorted. */
export const sortedOrder: ComesBefore = (name) => name < 'resourceVersion';

/**
 * The JSON of an object with `metadata.resourceVersion` put in, or replaced, where the encoder would have written it;
 * the rest byte for byte. Answers undefined when the bytes are no object with metadata.
 */
export function withResourceVersion(
  bytes: Uint8Array,
  revision: number,
  comesBefore: ComesBefore,
): Uint8Array | undefined {
  const buffer = asBuffer(bytes);
  const metadata = jsonMember(buffer, 0, 'metadata');
  if (metadata === undefined || buffer[metadata.valueStart] !== 0x7b) return undefined;
  const text = `"resourceVersion":"${revision}"`;
  const members = new JsonMembers(buffer, metadata.valueStart);
  let end = metadata.valueStart + 1;
  let first = true;
  while (members.next()) {
    if (members.isNamed('resourceVersion')) return splice(buffer, members.start, members.end, text);
    if (!comesBefore(members.name)) return splice(buffer, members.start, members.start, `${text},`);
    end = members.end;
    first = false;
  }
  return splice(buffer, end, end, first ? text : `,${text}`);
}

/**
 * What lies from `from` to `to` gives way to the text, which is ASCII. Small results come from
 * Buffer's pool, whose pieces live together: who keeps them long moves them (see ByteSlabs).
 */
function splice(buffer: Buffer, from: number, to: number, text: string): Buffer {
  const result = Buffer.allocUnsafe(buffer.length - (to - from) + text.length);
  buffer.copy(result, 0, 0, from);
  result.write(text, from, 'latin1');
  buffer.copy(result, from + text.length, to);
  return result;
}

/** A view of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
