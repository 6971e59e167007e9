import type { KubeObject } from '@apiserver/apimachinery';
import { aggregateMessages, FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { equalJson, goTypeOf, isMembers, type Members, setOwn } from '@apiserver/apimachinery/json';
import { validateAnnotations, validateLabels } from '@apiserver/apimachinery/validation';

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

/**
 * The original's metadata with the labels and annotations of a converted object, or the fault that prevents it.
 * Upstream: restoreObjectMeta
 */
export function restoredMetadata(original: KubeObject, converted: Members): Restored<KubeObject['metadata']> {
  if (!Object.hasOwn(converted, 'metadata')) return { fault: 'missing metadata in converted object' };
  const response = converted['metadata'];
  if (!isMembers(response)) return { fault: `invalid metadata of type ${goTypeOf(response)} in converted object` };
  const { labels: oldLabels, annotations: oldAnnotations, ...metadata } = original.metadata;
  const labels = strings('labels', oldLabels, response['labels']);
  if ('fault' in labels) return labels;
  const annotations = strings('annotations', oldAnnotations, response['annotations']);
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

function strings(
  field: 'labels' | 'annotations',
  before: Readonly<Record<string, string>> = {},
  value: unknown,
): Restored<Record<string, string> | undefined> {
  if (value === undefined || value === null) return { value: undefined };
  if (!isMembers(value)) return { fault: `invalid metadata.${field} of type ${goTypeOf(value)} in converted object` };
  const result: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') {
      const type = goTypeOf(text);
      return { fault: `metadata.${field}[${key}] must be a string, but is ${type} in converted object` };
    }
    setOwn(result, key, text);
  }
  const fault = equalJson(result, before) ? undefined : stringsFault(field, result);
  return fault === undefined ? { value: result } : { fault };
}

function stringsFault(field: 'labels' | 'annotations', values: Record<string, string>): string | undefined {
  const metadata = FieldPath.of('metadata');
  const errors =
    field === 'labels'
      ? validateLabels(values, metadata.child('labels'))
      : validateAnnotations(values, metadata.child('annotation'));
  return errors.length === 0 ? undefined : aggregateMessages(errors.map(fieldErrorMessage));
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
