import type { ComesBefore } from '../../semantics/storage-policy.js';
import { JsonMembers, jsonMember } from './json-members.js';

/** Allocates exactly that many bytes, uninitialised. */
export type Allocate = (length: number) => Buffer;

/**
 * The JSON of an object with `metadata.resourceVersion` inserted, or replaced, where the encoder would have written it;
 * the rest is copied byte for byte. Returns undefined if the bytes are not an object with metadata. Without `allocate`
 * small results are in Buffer's pool, whose slices retain each other: move those that are kept long (see ByteSlabs).
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

/** Number of bytes that withResourceVersion adds if there was no version, not counting a comma. */
export function splicedLength(revision: number): number {
  return versionText(revision).length;
}

function versionText(revision: number): string {
  return `"resourceVersion":"${revision}"`;
}

/** Replaces the bytes from `start` to `end` by the text, which is ASCII. */
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
