import type { TimeSlice } from '@apiserver/apimachinery/clock';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';
import { isMembers } from '@apiserver/apimachinery/json';
import { DEFINITION_PREFIX, filteredSpec, PARAMETER_PREFIX, type RemotePart, type RemoteSpec } from './remote-spec.js';
import { type ReadField, readParameter, readPathItem, readSchema } from './spec-fields.js';

/** A document of which each part is a JSON text. */
export interface SpecTexts {
  readonly paths: Map<string, string>;
  readonly definitions: Map<string, string>;
  readonly parameters: Map<string, string>;
}

const KINDS = 'x-kubernetes-group-version-kind';

/**
 * Adds a server's document. Paths that are there stay as they are. A definition or parameter of the same name is shared
 * if it is equal, apart from its kinds, and gets another name if not. Throws a TypeError, and adds nothing, if kinds
 * are malformed.
 * Upstream: MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters of k8s.io/kube-openapi/pkg/aggregator
 */
export async function mergeRemoteSpec(into: SpecTexts, spec: RemoteSpec, slice: TimeSlice): Promise<void> {
  const isNew = (path: string): boolean => !into.paths.has(path);
  const names = [...spec.paths.keys()];
  if (!names.some(isNew)) return;
  const source = names.every(isNew) ? spec : await filteredSpec(spec, isNew, slice);
  const definitions = await renamed(into.definitions, source.definitions, { compared: comparableSchema, slice });
  const parameters = await renamed(into.parameters, source.parameters, { compared: comparableParameter, slice });
  const renames = new Map([
    ...[...definitions].map(([from, to]) => [DEFINITION_PREFIX + from, DEFINITION_PREFIX + to] as const),
    ...[...parameters].map(([from, to]) => [PARAMETER_PREFIX + from, PARAMETER_PREFIX + to] as const),
  ]);
  const added: [Map<string, string>, string, string][] = [];
  const add = async (kind: keyof SpecTexts, read: ReadField, nameOf: (name: string) => string): Promise<void> => {
    for (const [name, part] of source[kind]) {
      const target = nameOf(name);
      const existing = into[kind].get(target);
      if (existing === undefined) added.push([into[kind], target, written(part, read, renames)]);
      else if (kind === 'definitions') added.push([into[kind], target, withMergedKinds(existing, part.text)]);
      if (slice.over) await slice.yield();
    }
  };
  await add('definitions', readSchema, (name) => definitions.get(name) ?? name);
  await add('parameters', readParameter, (name) => parameters.get(name) ?? name);
  await add('paths', readPathItem, (name) => name);
  for (const [texts, name, text] of added) texts.set(name, text);
}

interface RenameOptions {
  /** The form in which equal parts are the same text. */
  readonly compared: (text: string) => string;
  readonly slice: TimeSlice;
}

/** New names of the parts that differ from those of the same name. */
async function renamed(
  present: ReadonlyMap<string, string>,
  parts: ReadonlyMap<string, RemotePart>,
  { compared, slice }: RenameOptions,
): Promise<ReadonlyMap<string, string>> {
  const renames = new Map<string, string>();
  const given = new Set<string>();
  for (const [name, { text }] of parts) {
    const existing = present.get(name);
    if (existing === undefined) continue;
    const own = compared(text);
    if (compared(existing) !== own) {
      const isSame = (other: string): boolean => compared(other) === own;
      renames.set(name, newName(name, { present, parts, given, isSame }));
    }
    if (slice.over) await slice.yield();
  }
  return renames;
}

interface NameContext {
  readonly present: ReadonlyMap<string, string>;
  readonly parts: ReadonlyMap<string, RemotePart>;
  /** Names that this merge has given to new parts. */
  readonly given: Set<string>;
  readonly isSame: (text: string) => boolean;
}

/** `NAME_v2` and so on: that of an equal part, or the first one that is free. */
function newName(name: string, { present, parts, given, isSame }: NameContext): string {
  let number = 2;
  for (; ; number++) {
    const existing = present.get(`${name}_v${number}`);
    if (existing === undefined) break;
    if (isSame(existing)) return `${name}_v${number}`;
  }
  const isTaken = (candidate: string): boolean =>
    present.has(candidate) || given.has(candidate) || parts.has(candidate);
  while (isTaken(`${name}_v${number}`)) number++;
  given.add(`${name}_v${number}`);
  return `${name}_v${number}`;
}

const plain = { ref: (reference: string): string => reference, keepsEmpty: true } as const;

function comparableSchema(text: string): string {
  const schema = parseJsonText(text);
  if (!isMembers(schema)) return text;
  const { [KINDS]: _, ...rest } = schema;
  return JSON.stringify(readSchema(rest, plain));
}

function comparableParameter(text: string): string {
  return JSON.stringify(readParameter(parseJsonText(text), plain));
}

/** The text of a part in the document: references have their new names, and what is empty is left out. */
function written({ text, refs }: RemotePart, read: ReadField, renames: ReadonlyMap<string, string>): string {
  const isRenamed = [...refs].some((reference) => renames.has(reference));
  if (!isRenamed && !/\[\]|\{\}|""/.test(text)) return text;
  const ref = (reference: string): string => renames.get(reference) ?? reference;
  return JSON.stringify(read(parseJsonText(text), { ref, keepsEmpty: false }) ?? {});
}

/** A definition with its kinds and those of an equal one. */
function withMergedKinds(text: string, other: string): string {
  if (!other.includes(KINDS)) return text;
  const schema = parseJsonText(text);
  const source = parseJsonText(other);
  if (!isMembers(schema) || !isMembers(source) || !Object.hasOwn(source, KINDS)) return text;
  const merged = Object.hasOwn(schema, KINDS) ? mergedKinds(schema[KINDS], source[KINDS]) : source[KINDS];
  return merged === undefined ? text : JSON.stringify({ ...schema, [KINDS]: merged });
}

/** Undefined if there are no further ones. Upstream: mergedGVKs */
function mergedKinds(own: unknown, others: unknown): readonly unknown[] | undefined {
  const kinds = keyedKinds(own);
  const known = new Set(kinds.map(([key]) => key));
  const further = keyedKinds(others).filter(([key]) => !known.has(key));
  if (further.length === 0) return undefined;
  return [...kinds, ...further].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, kind]) => kind);
}

function keyedKinds(kinds: unknown): (readonly [key: string, kind: unknown])[] {
  if (!Array.isArray(kinds)) throw new TypeError('expected slice of GroupVersionKinds');
  return kinds.map((kind: unknown) => {
    if (!isMembers(kind)) throw new TypeError('expected {"group": <group>, "kind": <kind>, "version": <version>}');
    return [`${String(kind['group'])}/${String(kind['version'])}.${String(kind['kind'])}`, kind] as const;
  });
}
