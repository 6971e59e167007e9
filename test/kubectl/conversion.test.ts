import { Buffer } from 'node:buffer';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();
const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['converter.default.svc'] });

interface Resource {
  readonly apiVersion: string;
  /** The merge of an apply also converts objects without the fields that it compares. */
  readonly spec?: { readonly size?: number; readonly width?: number; readonly height?: number };
}

/** v1 has one size, v2 has width and height. */
function convert(object: Resource, apiVersion: string): object {
  if (object.apiVersion === apiVersion) return object;
  const { spec } = object;
  if (spec === undefined) return { ...object, apiVersion };
  if (apiVersion.endsWith('/v1')) return { ...object, apiVersion, spec: { size: spec.width } };
  return { ...object, apiVersion, spec: { width: spec.size, height: spec.size } };
}

const integer = { type: 'integer' };
const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: name === 'v1' ? '.spec.size' : '.spec.width' }],
});

function definition(port: number, stored = 'v1'): object {
  const clientConfig = {
    service: { namespace: 'default', name: 'converter', path: '/convert', port },
    caBundle: Buffer.from(authority.certificate).toString('base64'),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'windows.house.example' },
    spec: {
      group: 'house.example',
      scope: 'Namespaced',
      names: { plural: 'windows', singular: 'window', kind: 'Window' },
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      versions: [
        version('v1', stored === 'v1', { size: integer }),
        version('v2', stored === 'v2', { width: integer, height: integer }),
      ],
    },
  };
}

describe.skipIf(missing !== undefined)(`a conversion webhook${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;
  let webhook: TestWebhook;
  let isBroken = false;
  const data = temporaryDirectory('conversion');

  beforeAll(async () => {
    server = await startApiServer({ dataDirectory: data.path });
    kubectl = new Kubectl(server.kubeconfig);
    webhook = await startTestWebhook(serving, ({ body }, response) => {
      const { request } = JSON.parse(body);
      if (isBroken) {
        response.statusCode = 503;
        response.end();
        return undefined;
      }
      const convertedObjects = request.objects.map((object: Resource) => convert(object, request.desiredAPIVersion));
      const result = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
      return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: result };
    });
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(definition(webhook.port)));
    await kubectl.established('windows.house.example');
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await webhook?.[Symbol.asyncDispose]();
    data[Symbol.dispose]();
  });

  const window = (name: string, apiVersion: string, spec: object) =>
    JSON.stringify({ apiVersion: `house.example/${apiVersion}`, kind: 'Window', metadata: { name }, spec });
  const specOf = async (resource: string, name: string) =>
    JSON.parse(await kubectl.ok(['get', resource, name, '-o', 'jsonpath={.spec}']));

  it('is refused as long as its service is missing', async () => {
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], window('early', 'v2', { width: 1 }));
    expect([code, stderr]).toEqual([
      1,
      'Error from server: error when creating "STDIN": conversion webhook for house.example/v2, Kind=Window failed: ' +
        `Post "https://converter.default.svc:${webhook.port}/convert?timeout=30s": service "converter" not found\n`,
    ]);
  });

  it('behind a service converts what kubectl creates, reads, lists, applies and edits', async () => {
    const service = ['create', 'service', 'externalname', 'converter', '--external-name=localhost'];
    await kubectl.ok([...service, `--tcp=${webhook.port}:${webhook.port}`]);
    await expect
      .poll(async () => (await kubectl.run(['create', '-f', '-'], window('a', 'v2', { width: 3, height: 4 }))).code)
      .toBe(0);
    await kubectl.ok(['create', '-f', '-'], window('b', 'v1', { size: 5 }));
    expect([await specOf('windows.v1.house.example', 'a'), await specOf('windows.v2.house.example', 'b')]).toEqual([
      { size: 3 },
      { width: 5, height: 5 },
    ]);
    const rows = await kubectl.ok(['get', 'windows.v2.house.example', '--no-headers']);
    expect(
      rows
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split(/\s+/)),
    ).toEqual([
      ['a', '3'],
      ['b', '5'],
    ]);
    await kubectl.ok(['apply', '--server-side', '-f', '-'], window('c', 'v1', { size: 6 }));
    await kubectl.ok(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      window('c', 'v2', { width: 7, height: 7 }),
    );
    expect(await specOf('windows.v1.house.example', 'c')).toEqual({ size: 7 });
    await kubectl.ok(['patch', 'windows.v2.house.example', 'c', '--type=merge', '-p', '{"spec":{"width":8}}']);
    expect(await specOf('windows.v1.house.example', 'c')).toEqual({ size: 8 });
  });

  it('converts objects of the version that was stored before', async () => {
    await kubectl.ok(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      JSON.stringify(definition(webhook.port, 'v2')),
    );
    await expect
      .poll(() => kubectl.ok(['get', 'crd', 'windows.house.example', '-o', 'jsonpath={.status.storedVersions}']))
      .toBe('["v1","v2"]');
    await kubectl.ok(['create', '-f', '-'], window('d', 'v2', { width: 9, height: 1 }));
    await expect.poll(() => specOf('windows.v1.house.example', 'd')).toEqual({ size: 9 });
    expect(await specOf('windows.v2.house.example', 'b')).toEqual({ width: 5, height: 5 });
  });

  it('that fails tells kubectl why, and is used again once it is repaired', async () => {
    isBroken = true;
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], window('e', 'v1', { size: 1 }));
    isBroken = false;
    expect([code, stderr]).toEqual([
      1,
      'Error from server: error when creating "STDIN": conversion webhook for house.example/v1, Kind=Window failed: ' +
        'the server is currently unable to handle the request\n',
    ]);
    await kubectl.ok(['create', '-f', '-'], window('e', 'v1', { size: 1 }));
  });

  it('serves the objects that a restart finds, in every version', async () => {
    await server.stop();
    server = await startApiServer({ dataDirectory: data.path });
    await expect.poll(() => specOf('windows.v1.house.example', 'd')).toEqual({ size: 9 });
    expect(await specOf('windows.v2.house.example', 'b')).toEqual({ width: 5, height: 5 });
  });
});
