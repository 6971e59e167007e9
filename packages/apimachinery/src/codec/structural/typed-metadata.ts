import { isMembers, type Members } from '../../json/is-members.js';
import type { StructSchema } from '../../schema/schema.js';
import { NotCanonical, newContext } from '../canonical/canonical-context.js';
import { canonicalizer } from '../canonical/canonicalize.js';
import { type DecodingSteps, stepsWithinStack } from '../canonical/decoding-steps.js';
import { areSortedFields } from '../canonical/owned-fields.js';
import { decodeExact, decodeExactSteps } from '../json/exact-decoder.js';
import { stringifyJson } from '../json/stringify-json.js';
import { stringifyJsonSteps } from '../json/stringify-json-steps.js';

/** Metadata, and the names of the members that metadata does not have, relative to it. */
export interface TypedMetadata {
  readonly metadata: Members;
  readonly unknown: readonly string[];
}

/**
 * The metadata of a custom resource in canonical form: it is typed, unlike the rest. The value is not changed, but
 * becomes part of the result. Throws DecodeError with upstream's text for a wrong type.
 *
 * Upstream: GetObjectMetaWithOptions of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
 */
export function typedMetadata(value: unknown, schema: StructSchema): TypedMetadata {
  const metadata = canonicalMetadata(value, schema);
  return metadata === undefined ? exactMetadata(value, schema) : { metadata, unknown: [] };
}

/** Values of metadata that the fast decoder reads in one step. */
const MAX_AT_ONCE = 4_096;

/** The same in steps. Metadata of more values is read by the exact decoder, which can pause. */
export function* typedMetadataSteps(value: unknown, schema: StructSchema): DecodingSteps<TypedMetadata> {
  if (!hasMoreValuesThan(value, MAX_AT_ONCE)) return typedMetadata(value, schema);
  yield;
  const text = Buffer.from(yield* stringifyJsonSteps(value), 'utf8');
  yield;
  const { value: metadata, unknownPaths } = yield* stepsWithinStack(decodeExactSteps(text, schema, true));
  return { metadata: metadata as Members, unknown: unknownPaths };
}

/** Reports whether a value has more members and elements, at all depths. The rest is not visited. */
function hasMoreValuesThan(value: unknown, most: number): boolean {
  let values = 0;
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== 'object' || next === null) continue;
    // The keys of a long list would be as many new strings.
    const inner: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    values += inner.length;
    if (values > most) return true;
    stack.push(...inner);
  }
  return false;
}

/** The result of `typedMetadata` by the exact decoder, which also finds messages and names. It is slow. */
export function exactMetadata(value: unknown, schema: StructSchema): TypedMetadata {
  const { value: metadata, unknownPaths } = decodeExact(Buffer.from(stringifyJson(value), 'utf8'), schema, true);
  return { metadata: metadata as Members, unknown: unknownPaths };
}

/** The same without unknown members by the fast decoder; undefined for a value that needs the exact one. */
function canonicalMetadata(value: unknown, schema: StructSchema): Members | undefined {
  if (!isMembers(value)) return undefined;
  const context = newContext({ owned: false, lenient: false, trusted: false, keepsEmpty: true });
  try {
    const metadata = canonicalizer(schema)(value, context);
    return isMembers(metadata) && isPlainMetadata(metadata) ? metadata : undefined;
  } catch (error) {
    if (error instanceof NotCanonical) return undefined;
    throw error;
  }
}

/** Reports whether the text of a value has the same scalars: it has no -0, bigint or lone surrogate. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isPlain);
  if (!isMembers(value)) return typeof value !== 'bigint';
  for (const name in value) if (!name.isWellFormed() || !isPlain(value[name])) return false;
  return true;
}

/** The same for metadata. The fast decoder does not sort the fields of managers; they may be many, and are read once. */
function isPlainMetadata({ managedFields, ...others }: Members): boolean {
  if (!Array.isArray(managedFields)) return isPlain(others) && isPlain(managedFields);
  const isPlainEntry = ({ fieldsV1, ...entry }: Members) =>
    isPlain(entry) && (fieldsV1 === undefined || areSortedFields(fieldsV1));
  return isPlain(others) && managedFields.every(isPlainEntry);
}
