import { formatGroupVersion } from '@apiserver/apimachinery';
import { once } from '@apiserver/apimachinery/lazy';
import { PROTOBUF_MEDIA_TYPE } from '../negotiation/media-types.js';
import type { Cbor } from '../scope/cbor.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { converted, jsonFormOf, readOnce } from '../scope/object-form.js';
import { type CborListFrame, cborItemForm, cborListPieces } from './cbor-list.js';
import { type JsonListFrame, jsonListBody, jsonListPieces } from './json-list.js';
import { itemOfEnvelope, typeMetaLength } from './protobuf-envelope.js';
import { protobufListBody } from './protobuf-list.js';
import type { ProtobufListView, ResponseView } from './response-view.js';

/** Objects as they are, in the endpoint's version. One per endpoint. */
export function createPlainView(scope: EndpointScope): ResponseView {
  const frame = jsonFrame(scope);
  const { cbor } = scope.environment;
  const cborItems = cbor && cborFrame(scope, cbor);
  const protobufList = scope.kindPolicy.lists.hasProtobuf ? protobufFrame(scope) : undefined;
  return {
    frameKey: (mediaType) => scope.form(mediaType).key,
    encode: (stored, mediaType) => scope.form(mediaType).encode(stored),
    encodeSteps: (stored, mediaType) => scope.form(mediaType).encodeSteps(stored),
    prepare: (stored, mediaType) => scope.form(mediaType).prepare(stored),
    jsonList: (list) => jsonListPieces(frame, list),
    protobufList,
    listBody: (mediaType) => {
      if (mediaType === 'application/json') return jsonListBody(frame, scope.form(mediaType));
      return mediaType === PROTOBUF_MEDIA_TYPE
        ? protobufList && protobufListBody(protobufList, scope.form(mediaType))
        : undefined;
    },
    cborList: cborItems && ((list) => cborListPieces(cborItems, list)),
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

function protobufFrame(scope: EndpointScope): ProtobufListView {
  const { apiVersion, kind } = namesOf(scope);
  const skipped = typeMetaLength(apiVersion, scope.kind.kind);
  const form = once(() => scope.form(PROTOBUF_MEDIA_TYPE));
  return {
    apiVersion,
    kind,
    prepare: (stored) => form().prepare(stored),
    item: (stored) => itemOfEnvelope(form().encode(stored), skipped),
    keptItem: (stored) => {
      const bytes = form().kept(stored);
      return bytes && itemOfEnvelope(bytes, skipped);
    },
  };
}

function cborFrame(scope: EndpointScope, cbor: Cbor): CborListFrame {
  const { lists } = scope.kindPolicy;
  const json = jsonFormOf(scope.kind);
  const convert = (bytes: Uint8Array) => lists.cborItemOfJson(cbor, scope.codec, bytes);
  return {
    ...namesOf(scope),
    cbor,
    itemForm: cborItemForm(scope.kind),
    metadata: lists.cborMetadata,
    itemSteps: function* (stored) {
      const item = converted(stored, json, convert);
      return item ?? (yield* lists.encodeCborItemSteps(cbor, scope.codec, scope.toVersion(readOnce(stored))));
    },
  };
}

/** The names in a list of the endpoint. */
function namesOf({ kind, listKind }: EndpointScope) {
  return { apiVersion: formatGroupVersion(kind), kind: listKind };
}
