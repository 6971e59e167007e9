import { TimeSlice } from '@apiserver/apimachinery/clock';
import { type MemberRange, memberRanges, parsedMember } from '../serialized/member-ranges.js';
import { filteredSpec, type RemotePart, type RemoteSpec } from './remote-spec.js';
import { type ReadField, readOthers, readParameter, readPathItem, readSchema } from './spec-fields.js';

/** Maximum length of what one server adds to our document. */
const MAX_LENGTH = 2 * 1024 * 1024;

/**
 * Reads the paths with a prefix, and what they need, in the OpenAPI 2.0 document of a server. Pauses between parts.
 * Throws a TypeError or SyntaxError for a document that Go's types do not take, or that is too large.
 */
export async function readRemoteSpec(text: string, prefix: string): Promise<RemoteSpec> {
  const slice = new TimeSlice();
  const members = new Map((await memberRanges(text, slice)).map((range) => [range.name, range]));
  const partsOf = async (name: string, read: ReadField, keeps?: (name: string) => boolean) => {
    const range = members.get(name);
    members.delete(name);
    return range === undefined ? new Map<string, RemotePart>() : readParts(text, range, { read, keeps, slice });
  };
  const paths = await partsOf('paths', readPathItem, (name) => name.startsWith('/'));
  const definitions = await partsOf('definitions', readSchema);
  const parameters = await partsOf('parameters', readParameter);
  for (const range of members.values()) {
    readOthers(Object.fromEntries([[range.name, parsedMember(text, range)]]), { ref: sameRef, keepsEmpty: true });
    if (slice.over) await slice.yield();
  }
  const spec = await filteredSpec({ paths, definitions, parameters }, (path) => path.startsWith(prefix), slice);
  if (lengthOf(spec) > MAX_LENGTH) throw new TypeError('the document is too large');
  return spec;
}

const sameRef = (reference: string): string => reference;

interface PartOptions {
  readonly read: ReadField;
  /** Default: every name. */
  readonly keeps: ((name: string) => boolean) | undefined;
  readonly slice: TimeSlice;
}

async function readParts(
  text: string,
  whole: MemberRange,
  { read, keeps, slice }: PartOptions,
): Promise<Map<string, RemotePart>> {
  const parts = new Map<string, RemotePart>();
  if (/^\s*null\s*$/.test(text.slice(whole.start, Math.min(whole.end, whole.start + 1_000)))) return parts;
  for (const range of await memberRanges(text, slice, whole)) {
    const value = parsedMember(text, range);
    if (keeps === undefined || keeps(range.name)) parts.set(range.name, partOf(value, read));
    if (slice.over) await slice.yield();
  }
  return parts;
}

function partOf(value: unknown, read: ReadField): RemotePart {
  const refs = new Set<string>();
  const ref = (reference: string): string => {
    refs.add(reference);
    return reference;
  };
  return { text: JSON.stringify(read(value, { ref, keepsEmpty: true }) ?? {}), refs };
}

function lengthOf({ paths, definitions, parameters }: RemoteSpec): number {
  const all = [...paths.values(), ...definitions.values(), ...parameters.values()];
  return all.reduce((sum, { text }) => sum + text.length, 0);
}
