import type { KubeObject } from '@apiserver/apimachinery';
import { sortedKeysSteps } from '@apiserver/apimachinery/codec/json';
import {
  aggregateMessages,
  CappedErrors,
  type FieldError,
  FieldPath,
  fieldErrorMessage,
  TEXT_CAP,
} from '@apiserver/apimachinery/field';
import { equalJson, goTypeOf, isMembers, type Members, setOwn } from '@apiserver/apimachinery/json';
import { validateAnnotationKeys, validateAnnotationsSize, validateLabels } from '@apiserver/apimachinery/validation';

/**
 * Reports how a converted object differs in what a webhook must keep; undefined if it does not.
 * Upstream: validateConvertedObject of …/pkg/apiserver/conversion/webhook_converter.go
 */
export function identityFault(original: KubeObject, converted: Members): string | undefined {
  const before = membersOf(original.metadata);
  const after = membersOf(converted['metadata']);
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['kind', original.kind, converted['kind']],
    ['name', before['name'], after['name']],
    ['namespace', before['namespace'], after['namespace']],
    ['UID', before['uid'], after['uid']],
  ];
  const changed = pairs.find(([, a, b]) => textOf(a) !== textOf(b));
  if (changed === undefined) return undefined;
  const [what, a, b] = changed;
  return `must have the same ${what}: ${textOf(a)} != ${textOf(b)}`;
}

/** Labels or annotations that are checked between two turns of the event loop. */
const AT_ONCE = 1_000;

/**
 * The original's metadata with the labels and annotations of a converted object, or the fault that prevents it. In steps.
 * Upstream: restoreObjectMeta
 */
export function* restoredMetadataSteps(
  original: KubeObject,
  converted: Members,
): Generator<void, Restored<KubeObject['metadata']>> {
  if (!Object.hasOwn(converted, 'metadata')) return { fault: 'missing metadata in converted object' };
  const response = converted['metadata'];
  if (!isMembers(response)) return { fault: `invalid metadata of type ${goTypeOf(response)} in converted object` };
  const { labels: oldLabels, annotations: oldAnnotations, ...metadata } = original.metadata;
  const labels = yield* stringsSteps('labels', oldLabels, response['labels']);
  if ('fault' in labels) return labels;
  const annotations = yield* stringsSteps('annotations', oldAnnotations, response['annotations']);
  if ('fault' in annotations) return annotations;
  return {
    value: {
      ...metadata,
      ...(labels.value && { labels: labels.value }),
      ...(annotations.value && { annotations: annotations.value }),
    },
  };
}

type Restored<T> = { readonly value: T } | { readonly fault: string };

function* stringsSteps(
  field: 'labels' | 'annotations',
  before: Readonly<Record<string, string>> = {},
  value: unknown,
): Generator<void, Restored<Record<string, string> | undefined>> {
  if (value === undefined || value === null) return { value: undefined };
  if (!isMembers(value)) return { fault: `invalid metadata.${field} of type ${goTypeOf(value)} in converted object` };
  const result: Record<string, string> = {};
  let count = 0;
  for (const key of Object.keys(value)) {
    const text = value[key];
    if (typeof text !== 'string') {
      const type = goTypeOf(text);
      return { fault: `metadata.${field}[${key}] must be a string, but is ${type} in converted object` };
    }
    setOwn(result, key, text);
    if (++count % AT_ONCE === 0) yield;
  }
  // The iterator of a large object takes long, even if the first members differ.
  const isKept = count === Object.keys(before).length && equalJson(result, before);
  const fault = isKept ? undefined : yield* stringsFaultSteps(field, result);
  return fault === undefined ? { value: result } : { fault };
}

function* stringsFaultSteps(
  field: 'labels' | 'annotations',
  values: Readonly<Record<string, string>>,
): Generator<void, string | undefined> {
  const metadata = FieldPath.of('metadata');
  const path = metadata.child(field === 'labels' ? 'labels' : 'annotation');
  const messages = new CappedErrors(TEXT_CAP);
  const note = (errors: readonly FieldError[]) => {
    for (const error of errors) {
      if (messages.isFull) messages.skip();
      else messages.add(fieldErrorMessage(error));
    }
  };
  for (const some of partsOf(values)) {
    if (some !== undefined) note(field === 'labels' ? validateLabels(some, path) : validateAnnotationKeys(some, path));
    yield;
  }
  if (field === 'annotations') note(validateAnnotationsSize(values, path));
  const list = messages.list();
  return list.length === 0 ? undefined : aggregateMessages(list);
}

/** The values in the order of their keys, some in each part; undefined before a pause. */
function* partsOf(values: Readonly<Record<string, string>>): Generator<Readonly<Record<string, string>> | undefined> {
  const keys = Object.keys(values);
  if (keys.length <= AT_ONCE) {
    yield values;
    return;
  }
  const sorting = sortedKeysSteps(keys);
  let sorted = sorting.next();
  for (; !sorted.done; sorted = sorting.next()) yield undefined;
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    yield Object.fromEntries(sorted.value.slice(i, i + AT_ONCE).map((key) => [key, values[key] ?? '']));
  }
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
