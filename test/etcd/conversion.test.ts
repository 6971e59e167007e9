import { Buffer } from 'node:buffer';
import { isCborObject } from '@apiserver/apimachinery/codec/cbor';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { startTestWebhook, type TestWebhookRequest } from '@apiserver/webhook/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { serverOn } from './server-on.ts';

const GROUP = 'convert.example.com';
const CBOR = '--feature-gates=CBORServingAndStorage=true';
const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['127.0.0.1'] });

type Json = Record<string, unknown>;

/** v1 has `size`, v2 has `length`. */
function convert({ size, length, ...rest }: Json, apiVersion: string): Json {
  return { ...rest, apiVersion, [apiVersion.endsWith('/v2') ? 'length' : 'size']: size ?? length };
}

function respond({ body }: TestWebhookRequest): object {
  const { apiVersion, request } = JSON.parse(body);
  const convertedObjects = request.objects.map((object: Json) => convert(object, request.desiredAPIVersion));
  const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
  return { apiVersion, kind: 'ConversionReview', response };
}

const version = (name: string, field: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { [field]: { type: 'integer' } } } },
});

const definition = (port: number) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', 'size'), version('v2', 'length')],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: {
          url: `https://127.0.0.1:${port}/convert`,
          caBundle: Buffer.from(authority.certificate).toString('base64'),
        },
      },
    },
  },
});

const pathOf = (name: string) => `/apis/${GROUP}/${name}/namespaces/default/things`;
const thing = (apiVersion: string, name: string, content: object) => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind: 'Thing',
  metadata: { name },
  ...content,
});

describe.skipIf(findEtcd() === undefined)(`conversion by webhook on etcd (${NO_ETCD})`, () => {
  it('reads what is in JSON and in CBOR at rest, with and without the feature gate', async () => {
    await using etcd = await startEtcd();
    await using webhook = await startTestWebhook(serving, respond);
    using folder = temporaryDirectory('conversion');
    const stored = async (name: string) => {
      await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
      const { kv } = await store.get(`/registry/${GROUP}/things/default/${name}`);
      return isCborObject(kv?.value ?? new Uint8Array());
    };
    const lists = async (client: AdminClient) => {
      const contents = async (one: string) => {
        const { items } = JSON.parse((await client.request('GET', pathOf(one))).body);
        return items.map(({ apiVersion, metadata, size, length }: Json & { metadata: Json }) => [
          apiVersion,
          metadata['name'],
          size,
          length,
        ]);
      };
      return [await contents('v1'), await contents('v2')];
    };
    {
      await using server = await serverOn(etcd, folder.path, 0);
      using client = new AdminClient(server.kubeconfig);
      await client.request('POST', DEFINITIONS, definition(webhook.port));
      await expect.poll(async () => (await client.request('GET', pathOf('v2'))).status).toBe(200);
      const created = await client.request('POST', pathOf('v2'), thing('v2', 'a', { length: 1 }));
      expect([created.status, JSON.parse(created.body)['length']]).toEqual([201, 1]);
    }
    const both = [
      [
        [`${GROUP}/v1`, 'a', 1, undefined],
        [`${GROUP}/v1`, 'b', 2, undefined],
      ],
      [
        [`${GROUP}/v2`, 'a', undefined, 1],
        [`${GROUP}/v2`, 'b', undefined, 2],
      ],
    ];
    for (const flags of [[CBOR], []]) {
      await using server = await serverOn(etcd, folder.path, 0, flags);
      using client = new AdminClient(server.kubeconfig);
      if (flags.length > 0) {
        const created = await client.request('POST', pathOf('v2'), thing('v2', 'b', { length: 2 }));
        expect(created.status).toBe(201);
      }
      expect(await lists(client)).toEqual(both);
      expect([await stored('a'), await stored('b')]).toEqual([false, true]);
    }
  });
});
