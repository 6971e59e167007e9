import type { ComesBefore } from '../../semantics/storage-policy.js';
import { JsonMembers, jsonMember } from './json-members.js';

/** Gives memory of just so many bytes, whatever is in it. */
export type Allocate = (length: number) => Buffer;

/**
 * The JSON of an object with `metadata.resourceVersion` put in, or replaced, where the encoder would have written it;
 * the rest byte for byte. Answers undefined when the bytes are no object with metadata. Without `allocate` small results
 * come from Buffer's pool, whose pieces live together: who keeps them long moves them (see ByteSlabs).
 */
export function withResourceVersion(
  bytes: Uint8Array,
  revision: number,
  comesBefore: ComesBefore,
  allocate: Allocate = Buffer.allocUnsafe,
): Uint8Array | undefined {
  const buffer = asBuffer(bytes);
  const metadata = jsonMember(buffer, 0, 'metadata');
  if (metadata === undefined || buffer[metadata.valueStart] !== 0x7b) return undefined;
  const text = versionText(revision);
  const members = new JsonMembers(buffer, metadata.valueStart);
  let end = metadata.valueStart + 1;
  let first = true;
  while (members.next()) {
    if (members.isNamed('resourceVersion')) return splice(buffer, members, text, allocate);
    const { start } = members;
    if (!comesBefore(members)) return splice(buffer, { start, end: start }, `${text},`, allocate);
    end = members.end;
    first = false;
  }
  return splice(buffer, { start: end, end }, first ? text : `,${text}`, allocate);
}

/** How many bytes withResourceVersion adds where there was no version; beside them it may add a comma. */
export function splicedLength(revision: number): number {
  return versionText(revision).length;
}

function versionText(revision: number): string {
  return `"resourceVersion":"${revision}"`;
}

/** What lies from `start` to `end` gives way to the text, which is ASCII. */
function splice(
  buffer: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
  allocate: Allocate,
): Buffer {
  const result = allocate(buffer.length - (end - start) + text.length);
  buffer.copy(result, 0, 0, start);
  result.write(text, start, 'latin1');
  buffer.copy(result, start + text.length, end);
  return result;
}

/** A view of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
