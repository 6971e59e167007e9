import type { ListOptions } from '@apiserver/apimachinery';
import { newBadRequest, newInvalid } from '@apiserver/apimachinery/errors';
import { type FieldSelector, parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { isParseError, quote } from '@apiserver/apimachinery/text';
import { validateListOptions } from '@apiserver/apimachinery/validation';
import type { AnyResourceDefinition, ParsedListOptions, RequestScope } from '@apiserver/apiserver-contracts';
import type { EndpointFeatures } from '../scope/endpoint-features.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import { booleanValue, integerValue, present, textValue } from './query-values.js';

/**
 * Decodes list options from a query, with selectors as text. Throws a 400 for an invalid number. Parameters of disabled
 * features are ignored, like all unknown ones.
 *
 * Upstream: the url.Values conversions of k8s.io/apimachinery/pkg/apis/meta/v1
 */
function decodeListOptions(query: URLSearchParams, { shardedLists }: EndpointFeatures): ListOptions {
  return present<ListOptions>({
    labelSelector: textValue(query, 'labelSelector'),
    fieldSelector: textValue(query, 'fieldSelector'),
    watch: booleanValue(query, 'watch'),
    allowWatchBookmarks: booleanValue(query, 'allowWatchBookmarks'),
    resourceVersion: textValue(query, 'resourceVersion'),
    resourceVersionMatch: textValue(query, 'resourceVersionMatch'),
    timeoutSeconds: integerValue(query, 'timeoutSeconds'),
    limit: integerValue(query, 'limit'),
    continue: textValue(query, 'continue'),
    sendInitialEvents: booleanValue(query, 'sendInitialEvents'),
    shardSelector: shardedLists ? textValue(query, 'shardSelector') : undefined,
  });
}

/** The endpoint of a list: the definition of its resource, and the resource in the version of the request. */
export type ListScope = Pick<RequestScope, 'definition' | 'resource'> & {
  readonly environment: { readonly features: EndpointFeatures };
};

/**
 * Decodes, parses and validates the list options of a request for a resource. Throws a 400 for invalid syntax and for
 * fields that are not selectable, a 422 for invalid combinations.
 */
export function parseListOptions(query: URLSearchParams, scope: ListScope): ParsedListOptions {
  const { definition } = scope;
  const { features } = scope.environment;
  const { labelSelector, fieldSelector, ...given } = decodeListOptions(query, features);
  const options = features.watchList ? withInitialEvents(given) : given;
  const labels = asBadRequest(() => parseLabelSelector(labelSelector ?? ''));
  const fields = asBadRequest(() => parseFieldSelector(fieldSelector ?? ''));
  const errors = validateListOptions(options, features);
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  checkSelectableFields(fields, scope);
  return { ...options, labelSelector: labels, fieldSelector: storedFields(fields, definition) };
}

/**
 * A watch without a version, or from "0", always begins with the state.
 * Upstream: SetListOptionsDefaults in k8s.io/apimachinery/pkg/apis/meta/internalversion/defaults.go, feature gate
 * WatchList
 */
function withInitialEvents(options: ListOptions): ListOptions {
  const { watch, resourceVersion = '', resourceVersionMatch = '', sendInitialEvents } = options;
  const isPlain = sendInitialEvents === undefined && resourceVersionMatch === '';
  if (!watch || !isPlain || (resourceVersion !== '' && resourceVersion !== '0')) return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

/** The selector with the fields named as in stored objects. */
function storedFields(selector: FieldSelector, { selectableFieldLabels }: AnyResourceDefinition): FieldSelector {
  if (selectableFieldLabels === undefined) return selector;
  return selector.transform((field, value) => ({ field: selectableFieldLabels[field] ?? field, value }));
}

/** Runs a parser; its ParseError becomes a 400 of the same text. */
function asBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw isParseError(error) ? newBadRequest(error.message) : error;
  }
}

function checkSelectableFields(selector: FieldSelector, scope: ListScope): void {
  for (const { field } of selector.requirements) {
    if (!isSelectable(field, scope.definition)) throw newBadRequest(unknownFieldText(field, scope));
  }
}

/** Kinds without declared fields accept the namespace, even cluster-scoped ones. */
function isSelectable(field: string, definition: AnyResourceDefinition): boolean {
  if (field === 'metadata.name') return true;
  if (field === 'metadata.namespace') {
    if (!resourcePolicyOf(definition).declaresSelectors(definition)) return true;
    return definition.scope === 'Namespaced' && definition.selectsNamespace !== false;
  }
  return definition.selectableFieldNames.includes(field);
}

/**
 * Upstream: DefaultMetaV1FieldSelectorConversion of k8s.io/apimachinery/pkg/runtime, where a kind has nothing of its
 * own
 */
function unknownFieldText(field: string, { definition, resource }: ListScope): string {
  if (definition.unknownFieldText !== undefined) return definition.unknownFieldText(field, resource.version);
  if (resourcePolicyOf(definition).declaresSelectors(definition)) return `field label not supported: ${field}`;
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
