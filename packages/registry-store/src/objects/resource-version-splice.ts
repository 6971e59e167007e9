import { type JsonMember, jsonMember, jsonMembers } from './json-members.js';

/** Whether a member of metadata stands before resourceVersion in the encoding. */
export type ComesBefore = (name: string) => boolean;

const BEFORE_IN_STRUCT: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid']);

/** Built-in kinds: fields in the order of upstream's ObjectMeta. */
export const structOrder: ComesBefore = (name) => BEFORE_IN_STRUCT.has(name);

/** Custom resources: keys sorted. */
export const sortedOrder: ComesBefore = (name) => name < 'resourceVersion';

/**
 * The JSON of an object with `metadata.resourceVersion` put in, or replaced, where the encoder would have written it;
 * the rest byte for byte. Answers undefined when the bytes are no object with metadata. The result has memory of its own.
 */
export function withResourceVersion(
  bytes: Uint8Array,
  revision: number,
  comesBefore: ComesBefore,
): Uint8Array | undefined {
  const buffer = asBuffer(bytes);
  const metadata = jsonMember(buffer, 0, 'metadata');
  if (metadata === undefined || buffer[metadata.valueStart] !== 0x7b) return undefined;
  const [from, to, text] = splicePoint(buffer, metadata, `"resourceVersion":"${revision}"`, comesBefore);
  return splice(buffer, from, to, text);
}

/** What lies from `from` to `to` gives way to the text. */
function splicePoint(
  buffer: Buffer,
  metadata: JsonMember,
  text: string,
  comesBefore: ComesBefore,
): readonly [from: number, to: number, text: string] {
  let end = metadata.valueStart + 1;
  let first = true;
  for (const member of jsonMembers(buffer, metadata.valueStart)) {
    if (member.name === 'resourceVersion') return [member.start, member.end, text];
    if (!comesBefore(member.name)) return [member.start, member.start, `${text},`];
    end = member.end;
    first = false;
  }
  return [end, end, first ? text : `,${text}`];
}

/** `text` is ASCII. Not from Buffer's pool: a pooled slice would keep its neighbours in memory as long as it lives. */
function splice(buffer: Buffer, from: number, to: number, text: string): Buffer {
  const result = Buffer.allocUnsafeSlow(buffer.length - (to - from) + text.length);
  buffer.copy(result, 0, 0, from);
  result.write(text, from, 'latin1');
  buffer.copy(result, from + text.length, to);
  return result;
}

/** A view of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
