import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import {
  ANY,
  INT64,
  type KindSchema,
  list,
  map,
  OMIT_EMPTY,
  OMIT_ZERO,
  POINTER,
  STRING,
  struct,
  TIME,
} from '@apiserver/apimachinery/schema';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type Widget, widgetDefinition } from './widget.js';

const METADATA = struct('test.ObjectMeta', 'v1.ObjectMeta', () => [
  ['name', 0, STRING, OMIT_EMPTY],
  ['generateName', 0, STRING, OMIT_EMPTY],
  ['namespace', 0, STRING, OMIT_EMPTY],
  ['selfLink', 0, STRING, OMIT_EMPTY],
  ['uid', 0, STRING, OMIT_EMPTY],
  ['resourceVersion', 0, STRING, OMIT_EMPTY],
  ['generation', 0, INT64, OMIT_EMPTY],
  ['creationTimestamp', 0, TIME, OMIT_ZERO],
  ['labels', 0, map(STRING), OMIT_EMPTY],
  ['annotations', 0, map(STRING), OMIT_EMPTY],
  ['managedFields', 0, list(ANY), OMIT_EMPTY],
]);

const SPEC = struct('test.WidgetSpec', 'test.WidgetSpec', () => [
  ['size', 0, INT64, OMIT_EMPTY],
  ['color', 0, STRING, OMIT_EMPTY],
  ['text', 0, STRING, OMIT_EMPTY],
]);

const WIDGET = struct('test.Widget', 'test.Widget', () => [
  ['kind', 0, STRING, OMIT_EMPTY],
  ['apiVersion', 0, STRING, OMIT_EMPTY],
  ['metadata', 0, METADATA],
  ['spec', 0, SPEC, OMIT_EMPTY | POINTER],
]);

/** The schema of Widgets, like that of a built-in kind. */
export const widgetKind: KindSchema<Widget> = {
  gvk: { group: 'example.com', version: 'v1', kind: 'Widget' },
  schema: WIDGET,
  semantics: 'typed',
  listKind: 'WidgetList',
};

/** Storable widgets; `spec.color` is selectable. */
export function storedWidgetDefinition(changes: Partial<ResourceDefinition<Widget>> = {}): ResourceDefinition<Widget> {
  return widgetDefinition({
    versions: [{ version: 'v1', schema: widgetKind }],
    selectableFields: (object) => ({ 'spec.color': object.spec?.color ?? '' }),
    selectableFieldNames: ['spec.color'],
    ...changes,
  });
}

/** Widgets that are at rest in another version than the hub's. */
export function widgetsOfTwoVersions(): ResourceDefinition<Widget> {
  const toVersion = (version: string) => (object: Widget) => ({ ...object, apiVersion: `example.com/${version}` });
  const v2 = { ...widgetKind, gvk: { ...widgetKind.gvk, version: 'v2' } };
  return storedWidgetDefinition({
    versions: [
      { version: 'v1', schema: widgetKind },
      { version: 'v2', schema: v2, toHub: toVersion('v1'), fromHub: toVersion('v2') },
    ],
    storageVersion: 'v2',
  });
}

/** One codec per schema, shared as in a server. */
export function memoizedCodecs(): (schema: KindSchema) => KindCodec {
  const codecs = new Map<KindSchema, KindCodec>();
  return (schema) => {
    const known = codecs.get(schema) ?? compileKind(schema);
    codecs.set(schema, known);
    return known;
  };
}
