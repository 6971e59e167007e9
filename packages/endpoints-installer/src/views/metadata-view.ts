import { PartialObjectMetadata } from '@apiserver/api/meta/v1';
import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { TransformTarget } from '../negotiation/negotiate-output.js';
import type { Cbor } from '../scope/cbor.js';
import { encoderInStepsOf, encoderOf } from '../scope/object-form.js';
import { typedCborListMeta, typedListMeta } from '../semantics/list-meta.js';
import { type CborListFrame, cborListPieces } from './cbor-list.js';
import { jsonListPieces } from './json-list.js';
import { lengthDelimited } from './protobuf-envelope.js';
import type { ResponseView } from './response-view.js';

let codec: KindCodec<PartialObjectMetadata> | undefined;

/** Objects reduced to their metadata. `target` is the requested version of meta.k8s.io. */
export function createMetadataView(target: TransformTarget, cbor: Cbor | undefined): ResponseView {
  const apiVersion = formatGroupVersion(target);
  const encode = (stored: StoredObject, mediaType: MediaType) =>
    encoderOf(metadataCodec(), mediaType, cbor)(metadataOf(stored.object, apiVersion));
  return {
    frameKey: (mediaType) => `${mediaType}/${apiVersion}/PartialObjectMetadata`,
    encode,
    encodeSteps: (stored, mediaType) =>
      encoderInStepsOf(metadataCodec(), mediaType, cbor)(metadataOf(stored.object, apiVersion)),
    prepare,
    jsonList: (list) =>
      jsonListPieces(
        {
          head: () =>
            `{"kind":"PartialObjectMetadataList","apiVersion":"${apiVersion}","metadata":${typedListMeta(list)},"items":${isEmpty(list) ? 'null' : '['}`,
          tail: (list) => (isEmpty(list) ? '}' : ']}'),
          skip: 0,
          item: (stored) => encode(stored, 'application/json'),
          prepare,
        },
        list,
      ),
    protobufList: {
      apiVersion,
      kind: 'PartialObjectMetadataList',
      prepare,
      item: (stored) => protobufItem(stored, apiVersion),
      keptItem: () => undefined,
    },
    cborList: cbor && ((list) => cborListPieces(cbor, cborFrame(apiVersion, cbor), list)),
  };
}

function prepare(stored: StoredObject): Promise<unknown> | undefined {
  return stored.load?.();
}

function protobufItem(stored: StoredObject, apiVersion: string): Uint8Array {
  return lengthDelimited(2, metadataCodec().encodeProtobufMessage(metadataOf(stored.object, apiVersion)));
}

/** Reports whether a list has no items, which Go encodes as null. Upstream: asPartialObjectMetadataList */
function isEmpty({ items }: StoredList): boolean {
  return items.length === 0;
}

/** The frame of a list whose items have kind and apiVersion, as in JSON. */
function cborFrame(apiVersion: string, cbor: Cbor): CborListFrame {
  return {
    apiVersion,
    kind: 'PartialObjectMetadataList',
    metadata: typedCborListMeta,
    emptyIsNull: true,
    itemSteps: (stored) => cbor.encodeCborValueSteps(metadataCodec().normalize(metadataOf(stored.object, apiVersion))),
  };
}

/** The bytes of an object's metadata as a PartialObjectMetadata in JSON. */
export function encodeMetadataJson(object: KubeObject, apiVersion: string): Uint8Array {
  return metadataCodec().encodeJson(metadataOf(object, apiVersion));
}

function metadataCodec(): KindCodec<PartialObjectMetadata> {
  codec ??= compileKind(PartialObjectMetadata);
  return codec;
}

function metadataOf(object: KubeObject, apiVersion: string): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}
