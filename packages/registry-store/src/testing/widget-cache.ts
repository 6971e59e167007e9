import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type CachedStorage, type CacherOptions, createCacher } from '../cacher/cacher.js';
import type { FormMemory } from '../kept/object-forms.js';
import type { KeyValueStore } from '../key-value-store.js';
import { DecodedObjects } from '../objects/decoded-objects.js';
import { createJsonForm } from '../objects/forms/object-form.js';
import type { ResourceContext } from '../objects/resource-context.js';
import type { Transformer } from '../objects/transformer.js';
import { identityTransformer } from '../objects/transformer.js';
import type { Widget } from './widget.js';
import { memoizedCodecs, storedWidgetDefinition } from './widget-kind.js';

/** The prefix of the widgets of `newWidgetCache`. */
export const WIDGETS = '/registry/example.com/widgets/';

export interface WidgetCacheOptions extends CacherOptions {
  readonly store: KeyValueStore;
  readonly decoded?: DecodedObjects;
  readonly transformer?: Transformer;
  readonly definition?: ResourceDefinition<Widget>;
  readonly indexedField?: string;
  readonly formMemory?: FormMemory;
}

/** A watch cache of namespaced widgets. */
export function newWidgetCache(options: WidgetCacheOptions): CachedStorage<Widget> {
  return createCacher<Widget>(newWidgetContext(options), options);
}

/** Their context in a store. */
export function newWidgetContext(options: Omit<WidgetCacheOptions, keyof CacherOptions>): ResourceContext<Widget> {
  const { store, decoded, transformer, definition = storedWidgetDefinition(), indexedField, formMemory } = options;
  const { selectableFields } = definition;
  const kind = {
    form: createJsonForm(definition, memoizedCodecs()),
    decoded: decoded ?? new DecodedObjects(2 ** 20),
    groupResource: { group: 'example.com', resource: 'widgets' },
    namespaced: true,
    prefix: WIDGETS,
    keyPrefix: definition.keyPrefix,
    ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.bind(definition) }),
    ...(indexedField === undefined ? {} : { indexedField }),
    ...(formMemory === undefined ? {} : { formMemory }),
  };
  return { store, kind, transformer: transformer ?? identityTransformer };
}
