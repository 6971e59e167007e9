import { formatGroupVersion } from '@apiserver/apimachinery';
import { PROTOBUF_MEDIA_TYPE } from '../negotiation/media-types.js';
import type { Cbor } from '../scope/cbor.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { type CborListFrame, cborListPieces } from './cbor-list.js';
import { type JsonListFrame, jsonListPieces } from './json-list.js';
import { messageOfEnvelope } from './protobuf-envelope.js';
import type { ResponseView } from './response-view.js';

/** Objects as they are, in the endpoint's version. One per endpoint. */
export function createPlainView(scope: EndpointScope): ResponseView {
  const frame = jsonFrame(scope);
  const { cbor } = scope.environment;
  return {
    frameKey: (mediaType) => scope.form(mediaType).key,
    encode: (stored, mediaType) => scope.form(mediaType).encode(stored),
    encodeSteps: (stored, mediaType) => scope.form(mediaType).encodeSteps(stored),
    prepare: (stored, mediaType) => scope.form(mediaType).prepare(stored),
    jsonList: (list) => jsonListPieces(frame, list),
    protobufList: scope.kindPolicy.lists.hasProtobuf ? protobufFrame(scope) : undefined,
    cborList: cbor && ((list) => cborListPieces(cbor, cborFrame(scope, cbor), list)),
  };
}

function jsonFrame(scope: EndpointScope): JsonListFrame {
  const names = { ...namesOf(scope), itemKind: scope.kind.kind };
  const form = scope.form('application/json');
  return {
    ...scope.kindPolicy.lists.jsonEnds(names),
    item: (stored) => form.encode(stored),
    prepare: (stored) => form.prepare(stored),
  };
}

function protobufFrame(scope: EndpointScope): ResponseView['protobufList'] {
  return {
    ...namesOf(scope),
    prepare: (stored) => scope.form(PROTOBUF_MEDIA_TYPE).prepare(stored),
    message: (stored) => messageOfEnvelope(scope.form(PROTOBUF_MEDIA_TYPE).encode(stored)),
  };
}

function cborFrame(scope: EndpointScope, cbor: Cbor): CborListFrame {
  const { lists } = scope.kindPolicy;
  return {
    ...namesOf(scope),
    metadata: lists.cborMetadata,
    itemSteps: ({ object }) => lists.encodeCborItemSteps(cbor, scope.codec, scope.toVersion(object)),
  };
}

/** The names in a list of the endpoint. */
function namesOf({ kind, listKind }: EndpointScope) {
  return { apiVersion: formatGroupVersion(kind), kind: listKind };
}
