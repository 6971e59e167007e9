import {
  formatGroupVersionKind,
  type GroupVersionKind,
  type JsonObject,
  tryParseGroupVersion,
} from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { MergeTypeError, type TypedValue, validateValueInSteps } from '@apiserver/apimachinery/structured-merge-diff';

/**
 * The error of the first apply to an object without managers. Errors that are not about types are returned unchanged, by
 * all functions here.
 *
 * Upstream: the errors of k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go and
 * skipnonapplied.go
 */
export function* firstFailure(live: TypedValue, kind: GroupVersionKind, error: unknown): Generator<void, unknown> {
  if (!(error instanceof MergeTypeError)) return error;
  const { message } = (yield* validationFailure(live)) ?? error;
  return plainFailure(
    500,
    `failed to create manager for existing fields: failed to convert new object (${nameObject(live, kind)}) to smd typed: ${message}`,
  );
}

/** The error of a live object that does not match its schema. */
export function liveFailure(live: TypedValue, kind: GroupVersionKind, error: unknown): unknown {
  if (!(error instanceof MergeTypeError)) return error;
  return plainFailure(500, `failed to create typed live object (${nameObject(live, kind)}): ${error.message}`);
}

/** The error of a configuration that does not match its schema. */
export function configurationFailure(named: string, error: unknown): unknown {
  if (!(error instanceof MergeTypeError)) return error;
  return plainFailure(500, `failed to create typed patch object (${named}): ${error.message}`);
}

/** The error of a merge. Upstream validates the live object before; here it is validated only after a failed merge. */
export function* mergeFailure(live: TypedValue, kind: GroupVersionKind, error: unknown): Generator<void, unknown> {
  if (!(error instanceof MergeTypeError)) return error;
  const fault = yield* validationFailure(live);
  return fault ? liveFailure(live, kind, fault) : plainFailure(500, `failed to merge config: ${error.message}`);
}

/** The faults of a live object. Upstream reports only the first one of each list. */
function* validationFailure({ type, value }: TypedValue): Generator<void, MergeTypeError | undefined> {
  try {
    yield* validateValueInSteps(type, value, { allowDuplicates: true });
    return undefined;
  } catch (error) {
    if (error instanceof MergeTypeError) return error;
    throw error;
  }
}

/** The metadata of a configuration; empty if it has none. */
export function metadataOf(applied: JsonObject): JsonObject {
  const metadata = applied['metadata'];
  return isMembers(metadata) ? metadata : {};
}

/** The kind of a configuration. All members are empty for an invalid apiVersion. */
export function kindOf(applied: JsonObject): GroupVersionKind {
  const groupVersion = tryParseGroupVersion(textOf(applied, 'apiVersion'));
  if (groupVersion === undefined) return { group: '', version: '', kind: '' };
  return { ...groupVersion, kind: textOf(applied, 'kind') };
}

/** Formats an object for messages: `namespace/name; group/version, Kind=kind`. */
export function nameKind(applied: JsonObject, kind: GroupVersionKind): string {
  const metadata = metadataOf(applied);
  return `${textOf(metadata, 'namespace')}/${textOf(metadata, 'name')}; ${formatGroupVersionKind(kind)}`;
}

function nameObject({ value }: TypedValue, kind: GroupVersionKind): string {
  return nameKind(value as JsonObject, kind);
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}
