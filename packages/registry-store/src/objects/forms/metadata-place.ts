import { formatGroupVersion } from '@apiserver/apimachinery';
import { flatFields, type KindSchema } from '@apiserver/apimachinery/schema';
import { jsonMember } from './json-members.js';

/** A part of a text. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** Finds the metadata in the JSON that this server has written of an object; undefined if it has none. */
export type FindMetadata = (json: Buffer) => TextPlace | undefined;

/** Metadata are written in this order; names of members that follow them are others. */
const MANAGED_FIELDS = Buffer.from(',"managedFields":[');
/** The bytes before the name of a member behind an object. A quote behind a comma only begins names, or ends a text. */
const BEFORE_NAME = Buffer.from('},"');
/** The same behind metadata that end in managed fields, which have no other array. */
const AFTER_MANAGED_FIELDS = Buffer.from(']},"');
const END = Buffer.from(']}}');

const finders = new WeakMap<KindSchema, FindMetadata>();

/**
 * The finder of a kind. Made once. Native code looks for the few places where metadata may end: a loop over all bytes
 * is slow in a new process. The name of the next member decides. Where it is unknown, the members are passed over one
 * by one.
 */
export function metadataFinder(kind: KindSchema): FindMetadata {
  let finder = finders.get(kind);
  if (finder === undefined) {
    finder = newFinder(kind) ?? findByMembers;
    finders.set(kind, finder);
  }
  return finder;
}

function findByMembers(json: Buffer): TextPlace | undefined {
  const metadata = jsonMember(json, 0, 'metadata');
  return metadata && { start: metadata.valueStart, end: metadata.end };
}

/** Undefined for a kind that does not begin with its type and metadata, or whose members have names as in metadata. */
function newFinder({ gvk, schema }: KindSchema): FindMetadata | undefined {
  const [kind, apiVersion, metadata, ...others] = flatFields(schema);
  const isUsual = kind?.name === 'kind' && apiVersion?.name === 'apiVersion' && metadata?.name === 'metadata';
  if (!isUsual || metadata.schema.type !== 'struct') return undefined;
  const inside = flatFields(metadata.schema).map(({ name }) => name);
  if (others.some(({ name }) => inside.includes(name))) return undefined;
  const head = Buffer.from(`{"kind":"${gvk.kind}","apiVersion":"${formatGroupVersion(gvk)}","metadata":{`);
  const names: Names = { inside: inside.map(endOfName), behind: others.map(({ name }) => endOfName(name)) };
  return (json) => {
    if (json.length < head.length || json.compare(head, 0, head.length, 0, head.length) !== 0) {
      return findByMembers(json);
    }
    const start = head.length - 1;
    const end = endOfMetadata(json, start, names);
    return end === undefined ? findByMembers(json) : { start, end };
  };
}

/** Names with the bytes that end them. */
interface Names {
  readonly inside: readonly Buffer[];
  readonly behind: readonly Buffer[];
}

function endOfName(name: string): Buffer {
  return Buffer.from(`${name}":`);
}

/** Undefined where an unknown name, or a text that looks like the end of metadata, leaves it open. */
function endOfMetadata(json: Buffer, start: number, { inside, behind }: Names): number | undefined {
  const managedFields = json.indexOf(MANAGED_FIELDS, start);
  for (let at = start; ; ) {
    at = json.indexOf(BEFORE_NAME, at);
    if (managedFields >= 0 && (at < 0 || at + 1 >= managedFields)) {
      return endOfManagedFields(json, managedFields, behind);
    }
    if (at < 0) return undefined;
    const name = at + BEFORE_NAME.length;
    if (isAnyAt(json, name, behind)) return at + 1;
    if (!isAnyAt(json, name, inside)) return undefined;
    at = name;
  }
}

function endOfManagedFields(json: Buffer, start: number, behind: readonly Buffer[]): number | undefined {
  const at = json.indexOf(AFTER_MANAGED_FIELDS, start);
  if (at >= 0) return isAnyAt(json, at + AFTER_MANAGED_FIELDS.length, behind) ? at + 2 : undefined;
  return json.length > END.length && isAt(json, json.length - END.length, END) ? json.length - 1 : undefined;
}

function isAnyAt(json: Buffer, start: number, names: readonly Buffer[]): boolean {
  for (const name of names) if (isAt(json, start, name)) return true;
  return false;
}

function isAt(json: Buffer, start: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (json[start + i] !== text[i]) return false;
  return true;
}
