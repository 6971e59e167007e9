import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { RequestListener } from '../control-plane.js';
import { startControlPlane } from './start-control-plane.js';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const converted = {
  ...definition,
  spec: {
    ...definition.spec,
    versions: [
      ...definition.spec.versions,
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { namespace: 'x', name: 'y' } } },
    },
  },
};
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'dev' } };
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev' } };
const configuration = (kind: string, clientConfig: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: kind.toLowerCase() },
  webhooks: [
    {
      name: 'maps.example.com',
      clientConfig,
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});
const service = { service: { namespace: 'x', name: 'y', path: '/validate-maps' } };
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const post = (body: object) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

it('serves definitions in discovery and OpenAPI, and has the objects, as soon as it is there', async () => {
  await using plane = await startControlPlane({ crds: definition, objects: [namespace, widget, namespace] });
  const list = await (await plane.fetch('/apis/example.com/v1')).json();
  expect(list).toMatchObject({ resources: [{ name: 'widgets', kind: 'Widget' }] });
  expect(await (await plane.fetch('/openapi/v3/apis/example.com/v1')).text()).toContain('com.example.v1.Widget');
  expect((await plane.fetch('/apis/example.com/v1/namespaces/dev/widgets/a')).status).toBe(200);
});

it('installs more while the test runs, definitions first', async () => {
  await using plane = await startControlPlane();
  await plane.fetch('/openapi/v3');
  const stored = await plane.install([namespace, widget, definition]);
  expect(stored.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ['CustomResourceDefinition', 'widgets.example.com'],
    ['Namespace', 'dev'],
    ['Widget', 'a'],
  ]);
  expect(await (await plane.fetch('/openapi/v3/apis/example.com/v1')).text()).toContain('com.example.v1.Widget');
  const [replaced] = await plane.install({ ...widget, spec: { size: 1 } });
  expect(replaced?.metadata['generation']).toBeDefined();
});

it.each([
  [{ objects: widget }, 'Widget dev/a of objects: the plane does not serve example.com/v1 Widget'],
  [
    { objects: { ...map, metadata: { name: 'A' } } },
    'ConfigMap A of objects: ConfigMap "A" is invalid: metadata.name: ',
  ],
  [{ crds: map }, 'crds: a ConfigMap does not belong here'],
])('ends with the reason for %j', async (options, message) => {
  await expect(startControlPlane(options)).rejects.toThrow(message);
});

const pathOf = ({ url = '' }: { url?: string | undefined }) => url.split('?')[0];

/** Denies every map, and says who asked. */
const denying: RequestListener = async (request, response) => {
  const review = (await json(request)) as { request: { uid: string; userInfo: { username: string } } };
  const { uid, userInfo } = review.request;
  const verdict = { uid, allowed: false, status: { message: `${pathOf(request)} for ${userInfo.username}` } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict }));
};

it('gives webhooks the URL and the authority of its server', async () => {
  await using plane = await startControlPlane({
    objects: map,
    webhooks: configuration('ValidatingWebhookConfiguration', service),
    webhookServer: denying,
  });
  const refused = await plane.fetch('/api/v1/namespaces/default/configmaps', post({ ...map, metadata: { name: 'b' } }));
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { message: expect.stringContaining('denied the request: /validate-maps for kubernetes-admin') },
  ]);
});

it('names the remedy where nobody serves the webhooks', async () => {
  await using plane = await startControlPlane({ webhooks: configuration('MutatingWebhookConfiguration', service) });
  const refused = await plane.fetch('/api/v1/namespaces/default/configmaps', post(map));
  expect(await refused.text()).toContain('plane.webhookServer.serve()');
  plane.webhookServer.serve(denying);
  expect(await (await plane.fetch('/api/v1/namespaces/default/configmaps', post(map))).text()).toContain(
    '/validate-maps',
  );
});

it('leaves URLs alone, and takes a server of the test', async () => {
  await using first = await startControlPlane({ webhooks: configuration('ValidatingWebhookConfiguration', service) });
  const folder = first.webhookServer.certificateFolder();
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name)));
  const server: Server = createServer({ cert, key } as { cert: Buffer; key: Buffer }, denying).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await using second = await startControlPlane({
    webhooks: [
      configuration('ValidatingWebhookConfiguration', { url: `${url}/own` }),
      configuration('MutatingWebhookConfiguration', service),
    ],
    webhookServer: { url, authority: first.webhookServer.authority },
  });
  const refused = await (await second.fetch('/api/v1/namespaces/default/configmaps', post(map))).text();
  expect(refused).toContain('/validate-maps for kubernetes-admin');
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/validatingwebhookconfiguration';
  expect(await (await second.fetch(path)).json()).toMatchObject({
    webhooks: [{ clientConfig: { url: `${url}/own`, caBundle: expect.any(String) } }],
  });
  expect(() => second.webhookServer).toThrow('the plane has no webhook server');
  server.close();
  server.closeAllConnections();
});

it('converts objects at its webhook server', async () => {
  const convert: RequestListener = async (request, response) => {
    const { request: asked } = (await json(request)) as {
      request: { uid: string; desiredAPIVersion: string; objects: object[] };
    };
    const convertedObjects = asked.objects.map((object) => ({
      ...object,
      apiVersion: asked.desiredAPIVersion,
      at: pathOf(request),
    }));
    const answer = { uid: asked.uid, result: { status: 'Success' }, convertedObjects };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: answer }));
  };
  await using plane = await startControlPlane({
    crds: converted,
    objects: [namespace, widget],
    webhookServer: convert,
  });
  const read = await plane.fetch('/apis/example.com/v2/namespaces/dev/widgets/a');
  expect(await read.json()).toMatchObject({ apiVersion: 'example.com/v2', at: '/convert' });
});
