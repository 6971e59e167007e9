import { formatGroupVersion } from '@apiserver/apimachinery';
import type { StoredList } from '@apiserver/apiserver-contracts';
import { PROTOBUF_MEDIA_TYPE } from '../negotiation/media-types.js';
import type { TransformTarget } from '../negotiation/negotiate-output.js';
import type { Cbor } from '../scope/cbor.js';
import { encoderInStepsOf, readOnce } from '../scope/object-form.js';
import { typedCborListMeta, typedListMeta } from '../semantics/list-meta.js';
import { type CborListFrame, cborListPieces } from './cbor-list.js';
import { type JsonListFrame, jsonListBody } from './json-list.js';
import { METADATA_KIND, type MetadataForm, metadataCodec, metadataForm, metadataOf } from './metadata-form.js';
import type { Piece } from './pieces.js';
import { itemOfEnvelope, typeMetaLength } from './protobuf-envelope.js';
import { protobufListBody } from './protobuf-list.js';
import type { ProtobufListView, ResponseView } from './response-view.js';

const LIST_KIND = 'PartialObjectMetadataList';

/** Objects reduced to their metadata. `target` is the requested version of meta.k8s.io. */
export function createMetadataView(target: TransformTarget, cbor: Cbor | undefined): ResponseView {
  const apiVersion = formatGroupVersion(target);
  const frame = jsonFrame(apiVersion);
  const protobufList = protobufFrame(apiVersion);
  return {
    frameKey: (mediaType) => `${mediaType}/${apiVersion}/${METADATA_KIND}`,
    encode: (stored, mediaType) => metadataForm(mediaType, apiVersion).encode(stored, cbor),
    encodeSteps: (stored, mediaType) =>
      encoderInStepsOf(metadataCodec(), mediaType, cbor)(metadataOf(stored.object, apiVersion)),
    prepare: (stored, mediaType) => metadataForm(mediaType, apiVersion).prepare(stored),
    jsonList: (list) => metadataPieces(frame, metadataForm('application/json', apiVersion), list),
    protobufList,
    listBody: (mediaType) => {
      const form = metadataForm(mediaType, apiVersion).wire;
      if (mediaType === 'application/json') return jsonListBody(frame, form);
      return mediaType === PROTOBUF_MEDIA_TYPE ? protobufListBody(protobufList, form) : undefined;
    },
    cborList: cbor && ((list) => cborListPieces(cborFrame(apiVersion, cbor), list)),
  };
}

function jsonFrame(apiVersion: string): JsonListFrame {
  const form = metadataForm('application/json', apiVersion);
  const head = `{"kind":"${LIST_KIND}","apiVersion":"${apiVersion}","metadata":`;
  return {
    head: (list) => `${head}${typedListMeta(list)},"items":${isEmpty(list) ? 'null' : '['}`,
    tail: (list) => (isEmpty(list) ? '}' : ']}'),
    skip: 0,
    item: (stored) => form.encode(stored, undefined),
    prepare: (stored) => form.prepare(stored),
  };
}

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from('}');
const CLOSE_COMMA = Buffer.from('},');
const NOTHING: Buffer = Buffer.alloc(0);

/** The same as `jsonListPieces`. Metadata whose bytes the store knows are a piece of their own. */
function* metadataPieces(frame: JsonListFrame, { jsonHead }: MetadataForm, list: StoredList): Generator<Piece> {
  const next = Buffer.concat([CLOSE_COMMA, jsonHead]);
  yield Buffer.from(frame.head(list));
  let between = NOTHING;
  for (const stored of list.items) {
    const json = stored.metadataJson?.();
    if (json === undefined) {
      const preparing = frame.prepare(stored);
      if (preparing !== undefined) yield preparing;
      yield between;
      yield frame.item(stored);
      between = COMMA;
    } else {
      yield between === CLOSE_COMMA ? next : Buffer.concat([between, jsonHead]);
      yield json;
      between = CLOSE_COMMA;
    }
  }
  if (between === CLOSE_COMMA) yield CLOSE;
  yield Buffer.from(frame.tail(list));
}

function protobufFrame(apiVersion: string): ProtobufListView {
  const form = metadataForm(PROTOBUF_MEDIA_TYPE, apiVersion);
  const skipped = typeMetaLength(apiVersion, METADATA_KIND);
  return {
    apiVersion,
    kind: LIST_KIND,
    prepare: (stored) => form.prepare(stored),
    item: (stored) => itemOfEnvelope(form.encode(stored, undefined), skipped),
    keptItem: (stored) => {
      const bytes = form.kept(stored);
      return bytes && itemOfEnvelope(bytes, skipped);
    },
  };
}

/** Reports whether a list has no items, which Go encodes as null. Upstream: asPartialObjectMetadataList */
function isEmpty({ items }: StoredList): boolean {
  return items.length === 0;
}

/** The frame of a list whose items have kind and apiVersion, as in JSON. */
function cborFrame(apiVersion: string, cbor: Cbor): CborListFrame {
  return {
    cbor,
    apiVersion,
    kind: LIST_KIND,
    itemForm: metadataForm('application/cbor', apiVersion).item,
    metadata: typedCborListMeta,
    emptyIsNull: true,
    itemSteps: (stored) =>
      cbor.encodeCborValueSteps(metadataCodec().normalize(metadataOf(readOnce(stored), apiVersion))),
  };
}
