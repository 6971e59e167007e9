import type { JsonObject, KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { parseJsonValue, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { cloneJson, isMembers } from '@apiserver/apimachinery/json';
import {
  compareTypedInSteps,
  type FieldSet,
  MergeTypeError,
  type TypedValue,
  toFieldSet,
  validateValueInSteps,
} from '@apiserver/apimachinery/structured-merge-diff';
import { byteLength, TOTAL_ANNOTATION_SIZE_LIMIT } from '@apiserver/apimachinery/validation';

/** The annotation in which client-side apply keeps the last applied configuration. */
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The only manager whose annotation is used. */
const KUBECTL = 'kubectl';

/**
 * The unchanged fields that client-side apply owns by its annotation. `kubectl apply --server-side` may take them
 * without a conflict. Undefined for other managers, and without an annotation in the version of `live`.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go
 */
export function clientSideApplied(manager: string, live: TypedValue, annotations: Annotations): FieldSet | undefined {
  const text = annotations?.[LAST_APPLIED_ANNOTATION];
  return manager !== KUBECTL || !text ? undefined : atOnce(clientSideAppliedInSteps(manager, live, annotations));
}

/** The same in steps, for large objects. */
export function* clientSideAppliedInSteps(
  manager: string,
  live: TypedValue,
  annotations: Annotations,
): Generator<void, FieldSet | undefined> {
  const text = annotations?.[LAST_APPLIED_ANNOTATION];
  if (manager !== KUBECTL || text === undefined || text === '') return undefined;
  const lastApplied = parsed(text);
  if (lastApplied === undefined || lastApplied['apiVersion'] !== live.apiVersion) return undefined;
  try {
    yield* validateValueInSteps(live.type, lastApplied, { allowDuplicates: false });
    yield;
    const { added, modified, removed } = yield* compareTypedInSteps(live.type, lastApplied, live.value);
    yield;
    return toFieldSet(live.type, lastApplied).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof MergeTypeError) return undefined;
    throw error;
  }
}

/** Annotations of an object, if it has any. */
export type Annotations = Readonly<Record<string, string>> | undefined;

function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJsonValue(Buffer.from(text));
    return isMembers(value) ? value : undefined;
  } catch (error) {
    if (isDecodeError(error)) return undefined;
    throw error;
  }
}

/** Reports whether client-side apply keeps its last configuration in an object with these annotations. */
export function isAppliedByClient(annotations: Annotations): boolean {
  return Boolean(annotations?.[LAST_APPLIED_ANNOTATION]);
}

/**
 * The new value of the annotation of client-side apply. Undefined for other managers, and where there is no annotation
 * to update.
 */
export function newLastApplied(manager: string, annotations: Annotations, applied: JsonObject): string | undefined {
  if (manager !== KUBECTL || !isAppliedByClient(annotations)) return undefined;
  return `${stringifyJson(withoutAnnotation(applied))}\n`;
}

/**
 * Updates the annotation of client-side apply, so that users can return to client-side apply. Changes `object`.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedupdater.go
 */
export function setLastApplied({ metadata }: KubeObject, text: string): void {
  const { [LAST_APPLIED_ANNOTATION]: _old, ...others } = metadata.annotations ?? {};
  const updated = { ...metadata.annotations, [LAST_APPLIED_ANNOTATION]: text };
  metadata.annotations = sizeOf(updated) > TOTAL_ANNOTATION_SIZE_LIMIT ? others : updated;
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const copy = cloneJson(applied);
  const metadata = copy['metadata'];
  const annotations = isMembers(metadata) ? metadata['annotations'] : undefined;
  if (isMembers(annotations)) delete annotations[LAST_APPLIED_ANNOTATION];
  return copy;
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((size, [key, value]) => size + byteLength(key) + byteLength(value), 0);
}
