import { formatGroupVersion } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { PROTOBUF_MEDIA_TYPE } from '../negotiation/media-types.js';
import type { Cbor } from '../scope/cbor.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { AnswerView } from './answer-view.js';
import { type CborListFrame, cborListPieces, structuralCborListMeta, typedCborListMeta } from './cbor-list.js';
import { type JsonListFrame, jsonListPieces, structuralListMeta, typedListMeta } from './json-list.js';
import { messageOfEnvelope } from './protobuf-envelope.js';

/** Objects as they are, in the endpoint's version. One per endpoint. */
export function createPlainView(scope: EndpointScope): AnswerView {
  const frame = scope.codec.schema.semantics === 'typed' ? typedFrame(scope) : structuralFrame(scope);
  const apiVersion = formatGroupVersion(scope.kind);
  const { cbor } = scope.environment;
  return {
    frameKey: (mediaType) => scope.form(mediaType).key,
    encode: (stored, mediaType) => scope.form(mediaType).encode(stored),
    prepare: (stored, mediaType) => scope.form(mediaType).prepare(stored),
    jsonList: (list) => jsonListPieces(frame, list),
    protobufList:
      scope.codec.schema.semantics === 'structural'
        ? undefined
        : {
            apiVersion,
            kind: scope.listKind,
            prepare: (stored) => scope.form(PROTOBUF_MEDIA_TYPE).prepare(stored),
            message: (stored) => messageOfEnvelope(scope.form(PROTOBUF_MEDIA_TYPE).encode(stored)),
          },
    cborList: cbor && ((list) => cborListPieces(cbor, cborFrame(scope, cbor), list)),
  };
}

/** Items of typed lists carry neither kind nor apiVersion, as upstream. */
function typedFrame(scope: EndpointScope): JsonListFrame {
  const apiVersion = formatGroupVersion(scope.kind);
  return {
    head: (list) =>
      `{"kind":"${scope.listKind}","apiVersion":"${apiVersion}","metadata":${typedListMeta(list)},"items":[`,
    tail: () => ']}',
    skip: `{"kind":"${scope.kind.kind}","apiVersion":"${apiVersion}",`.length,
    ...itemEncoder(scope),
  };
}

function structuralFrame(scope: EndpointScope): JsonListFrame {
  const apiVersion = formatGroupVersion(scope.kind);
  return {
    head: () => `{"apiVersion":"${apiVersion}","items":[`,
    tail: (list) => `],"kind":"${scope.listKind}","metadata":${structuralListMeta(list)}}`,
    skip: 0,
    ...itemEncoder(scope),
  };
}

function itemEncoder(scope: EndpointScope): Pick<JsonListFrame, 'item' | 'prepare'> {
  const form = scope.form('application/json');
  return { item: (stored) => form.encode(stored), prepare: (stored) => form.prepare(stored) };
}

function cborFrame(scope: EndpointScope, cbor: Cbor): CborListFrame {
  const names = { apiVersion: formatGroupVersion(scope.kind), kind: scope.listKind };
  const { schema } = scope.codec;
  if (schema.semantics === 'structural') {
    const item = ({ object }: StoredObject) => cbor.encodeCborValue(scope.toVersion(object));
    return { ...names, metadata: structuralCborListMeta, item };
  }
  const item = ({ object }: StoredObject) => cbor.encodeCborItem(schema, scope.toVersion(object));
  return { ...names, metadata: typedCborListMeta, item };
}
