import { formatGroupVersion, formatGroupVersionKind, type KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { ConversionFailure } from '@apiserver/apimachinery/structured-merge-diff';
import { asJson } from './as-json.js';
import type { KindPolicy } from './kind-policy.js';
import { shardedCborListMeta, shardedListMeta } from './list-meta.js';
import { decodedKind } from './stated-kind.js';

/** The policy of built-in kinds: decoding determines the kind and enforces the schema. */
export const typedKinds: KindPolicy = {
  body: {
    statedKind: decodedKind,
    refusesOtherKinds: true,
    patchNeedsKind: false,
    settlePatchedKind: (object, kind) => {
      object.apiVersion = formatGroupVersion(kind);
      object.kind = kind.kind;
    },
    markReset: ({ metadata }) => {
      metadata.managedFields = [{}];
    },
  },
  tracking: {
    emptyObject: (codec, bare) => codec.normalize(bare),
    checkObject: () => {},
    *checkObjectInSteps() {},
    decoded,
    fromHub: (version, hub) => version.fromHub?.(hub) ?? hub,
    withoutEmpty: (codec, object) => codec.normalize(object),
    missingVersion: () => undefined,
    resetsOtherVersions: true,
  },
  lists: {
    // Items have neither kind nor apiVersion, as upstream.
    jsonEnds: ({ apiVersion, kind, itemKind }) => ({
      head: (list) => `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${shardedListMeta(list)},"items":[`,
      tail: () => ']}',
      skip: `{"kind":"${itemKind}","apiVersion":"${apiVersion}",`.length,
    }),
    hasProtobuf: true,
    cborMetadata: shardedCborListMeta,
    cborItemOfJson: (cbor, codec, json) => cbor.cborItemOfJson(codec.schema, json),
    encodeCborItemSteps: (cbor, codec, object) => cbor.encodeCborItemSteps(codec.schema, object),
  },
  isImpliedInDiscovery: true,
};

/** Upstream: unstructuredToTyped of k8s.io/apimachinery/pkg/runtime/scheme.go */
function decoded(codec: KindCodec, value: KubeObject): KubeObject {
  try {
    return codec.fromUnstructured(asJson(value), 'Ignore').object;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const named = formatGroupVersionKind(codec.gvk);
    throw new ConversionFailure([`unable to convert unstructured object to ${named}: ${error.message}`]);
  }
}
