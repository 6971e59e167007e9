import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { OutputMediaType, TransformTarget } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { createMetadataView } from './metadata-view.js';
import { createPlainView } from './plain-view.js';
import type { ResponseView } from './response-view.js';
import { createTableView } from './table-view.js';

/** The shape of a response: one object, a list, or a stream of objects. */
export type ResponseShape = 'object' | 'list' | 'watch';

/**
 * The requested view. Throws if metadata of the other shape is requested, a 400 for invalid Table options. Call it
 * after the verb, whose errors take precedence, as upstream.
 */
export function selectView(
  scope: EndpointScope,
  output: OutputMediaType,
  shape: ResponseShape,
  query: URLSearchParams,
): ResponseView {
  const { transform } = output;
  switch (transform?.kind) {
    case 'Table':
      return createTableView(scope, transform, query);
    case 'PartialObjectMetadata':
      if (shape === 'list') throw scope.resourcePolicy.notAnObject(transform.kind, listKindOf(scope));
      return createMetadataView(transform, scope.environment.cbor);
    case 'PartialObjectMetadataList':
      if (shape === 'object') throw scope.resourcePolicy.notAList(transform.kind, scope.kind, scope.definition);
      return shape === 'watch'
        ? listOfObjectView(scope, transform)
        : createMetadataView(transform, scope.environment.cbor);
    default:
      return plainViewOf(scope);
  }
}

/**
 * A view that fails, because an object is not a list. Upstream detects this at the first event and ends the watch
 * without a message.
 * Upstream: watchEmbeddedEncoder in k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
function listOfObjectView(scope: EndpointScope, target: TransformTarget): ResponseView {
  return {
    ...createMetadataView(target, scope.environment.cbor),
    frameKey: () => undefined,
    encode: () => {
      throw scope.resourcePolicy.notAList(target.kind, scope.kind, scope.definition);
    },
  };
}

/** The plain view of an endpoint, made once. */
export function plainViewOf(scope: EndpointScope): ResponseView {
  return scope.memo.of(createPlainView, () => createPlainView(scope));
}

function listKindOf({ kind, listKind }: EndpointScope): GroupVersionKind {
  return { ...kind, kind: listKind };
}
