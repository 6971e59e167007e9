import { newNotAcceptable, plainFailure, type StatusError } from '@apiserver/apimachinery/errors';
import type { OutputMediaType, TransformTarget } from '../negotiation/negotiate-output.js';
import { isCustomResource } from '../scope/custom-resource.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { AnswerView } from './answer-view.js';
import { internalGoType } from './go-type-name.js';
import { createMetadataView } from './metadata-view.js';
import { createPlainView } from './plain-view.js';
import { createTableView } from './table-view.js';

/** Whether an answer is one object, a list, or a stream of objects. */
export type AnswerShape = 'object' | 'list' | 'watch';

/**
 * The view that the client asked for. Throws where metadata of the other shape is asked for, a 400 for wrong Table
 * options. Called once the answer is there, as upstream: what the verb itself refuses comes first.
 */
export function selectView(
  scope: EndpointScope,
  output: OutputMediaType,
  shape: AnswerShape,
  query: URLSearchParams,
): AnswerView {
  const { transform } = output;
  switch (transform?.kind) {
    case 'Table':
      return createTableView(scope, transform, query);
    case 'PartialObjectMetadata':
      if (shape === 'list') throw noObject(transform.kind, scope);
      return createMetadataView(transform, scope.environment.cbor);
    case 'PartialObjectMetadataList':
      if (shape === 'object') throw noList(transform.kind, scope);
      return shape === 'watch'
        ? listOfObjectView(scope, transform)
        : createMetadataView(transform, scope.environment.cbor);
    default:
      return plainViewOf(scope);
  }
}

/**
 * No object is a list: upstream notices when it has the first, and ends the watch without a word to the client.
 * Upstream: watchEmbeddedEncoder in k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
function listOfObjectView(scope: EndpointScope, target: TransformTarget): AnswerView {
  return {
    ...createMetadataView(target, scope.environment.cbor),
    frameKey: () => undefined,
    encode: () => {
      throw noList(target.kind, scope);
    },
  };
}

const plainViews = new WeakMap<EndpointScope, AnswerView>();

/** The plain view of an endpoint, made once. */
export function plainViewOf(scope: EndpointScope): AnswerView {
  let view = plainViews.get(scope);
  if (view === undefined) {
    view = createPlainView(scope);
    plainViews.set(scope, view);
  }
  return view;
}

/** What is no list: upstream takes every custom resource for one until it looks for the items. */
function noList(asked: string, { definition, kind }: EndpointScope): StatusError {
  if (isCustomResource(definition)) return plainFailure(500, 'content is not a list');
  return wrongShape(asked, 'is not a list', internalGoType(kind));
}

function noObject(asked: string, { definition, kind, listKind }: EndpointScope): StatusError {
  const type = isCustomResource(definition)
    ? 'unstructured.UnstructuredList'
    : internalGoType({ ...kind, kind: listKind });
  return wrongShape(asked, 'is a list', type);
}

function wrongShape(asked: string, problem: string, goType: string): StatusError {
  return newNotAcceptable(`you requested ${asked}, but the requested object ${problem} (*${goType})`);
}
