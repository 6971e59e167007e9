import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { increment } from '@apiserver/apimachinery/values';
import type { ResourceDefinition, Strategy, VerbContext } from '@apiserver/apiserver-contracts';

/** A fictitious kind for tests of the generic machinery. */
export type Widget = KubeObject & { spec?: { size?: number; color?: string }; status?: { ready?: boolean } };

export const widgetResource = { group: 'example.com', version: 'v1', resource: 'widgets' };

/** Rules with a visible effect each: generation follows the spec, the size has a bound, red causes a warning. */
export const widgetStrategy: Strategy<Widget> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, widget) {
    delete widget.status;
    widget.metadata.generation = 1;
  },
  validate: (_context, widget) => validateSize(widget),
  warningsOnCreate: (_context, widget) => (widget.spec?.color === 'red' ? ['spec.color: red fades'] : []),
  canonicalize(widget) {
    if (widget.spec?.color !== undefined) widget.spec.color = widget.spec.color.toLowerCase();
  },
  prepareForUpdate(_context, widget, old) {
    if (old.status === undefined) delete widget.status;
    else widget.status = old.status;
    if (widget.spec?.size !== old.spec?.size) widget.metadata.generation = increment(old.metadata.generation);
  },
  validateUpdate: (_context, widget) => validateSize(widget),
};

function validateSize({ spec }: Widget): readonly FieldError[] {
  const { size = 0 } = spec ?? {};
  return size <= 10 ? [] : [fieldInvalid(FieldPath.of('spec', 'size'), size, 'must be at most 10')];
}

/** Widgets as a resource; `changes` are specific to a test. */
export function widgetDefinition(changes: Partial<ResourceDefinition<Widget>> = {}): ResourceDefinition<Widget> {
  return {
    group: 'example.com',
    kind: 'Widget',
    listKind: 'WidgetList',
    resource: 'widgets',
    singular: 'widget',
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    versions: [],
    hubVersion: 'v1',
    storageVersion: 'v1',
    keyPrefix: 'example.com/widgets',
    strategy: widgetStrategy,
    columns: [],
    subresources: {},
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    selectableFieldNames: [],
    returnDeletedObject: false,
    ...changes,
  };
}

/** A Widget as a client sends it. */
export function widget(metadata: Widget['metadata'], rest: Partial<Widget> = {}): Widget {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, ...rest };
}

/** A context in namespace "ns" that collects its warnings in `warned`. */
export function testContext(changes: Partial<VerbContext> = {}): VerbContext & { readonly warned: string[] } {
  const warned: string[] = [];
  return {
    namespace: 'ns',
    user: undefined,
    requestInfo: undefined,
    warnings: { warn: (text) => void warned.push(text) },
    signal: new AbortController().signal,
    warned,
    ...changes,
  };
}
