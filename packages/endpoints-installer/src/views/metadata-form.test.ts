import type { ObjectMeta } from '@apiserver/apimachinery';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import type { MediaType } from '../negotiation/media-types.js';
import { metadataCodec, metadataForm, metadataOf } from './metadata-form.js';

const metadata: ObjectMeta = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '7',
  generation: 9_007_199_254_740_993n as never,
  creationTimestamp: '2024-01-02T03:04:05Z',
  labels: { __proto__x: 'ü', a: '<b>' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'o', controller: true }],
  finalizers: ['f'],
  managedFields: [
    {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2024-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:10': {}, 'f:9': {} } },
    },
  ],
};
const json = metadataCodec().encodeJson(metadataOf({ metadata }, 'meta.k8s.io/v1'));
const own = json.subarray('{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":'.length, -1);

const base = { resourceVersion: '7', wire: () => undefined };

test.each<MediaType>([
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
])('metadata in %s is made from its stored bytes without the object', (mediaType) => {
  const form = metadataForm(mediaType, 'meta.k8s.io/v1');
  const fromBytes: StoredObject = {
    ...base,
    metadataJson: () => own,
    get object(): never {
      throw new Error('decoded');
    },
  };
  const fromObject: StoredObject = {
    ...base,
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata },
    metadataJson: () => undefined,
  };
  const texts = [fromBytes, fromObject].map((one) => Buffer.from(form.encode(one, cbor)).toString('latin1'));
  expect(texts[0]).toBe(texts[1]);
});
