import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook, type TestWebhookRequest } from '@apiserver/webhook/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startInMemory, until } from './memory-server.js';
import { convertMultiVersion, MULTI_VERSION, multiVersion, multiVersionObject } from './multi-version.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['hook.tools.svc', '127.0.0.1'] });
const caBundle = Buffer.from(authority.certificate).toString('base64');

export type Json = Record<string, unknown>;
export type Convert = (object: Json, apiVersion: string) => Json;

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Json[] };
}

export const reviewOf = ({ body }: TestWebhookRequest) => JSON.parse(body) as Review;

/** The response of a webhook that converts each object. */
export const converting =
  (convert: Convert) =>
  (request: TestWebhookRequest): object => {
    const { apiVersion, request: requested } = reviewOf(request);
    const convertedObjects = requested.objects.map((object) => convert(object, requested.desiredAPIVersion));
    const response = { uid: requested.uid, result: { status: 'Success' }, convertedObjects };
    return { apiVersion, kind: 'ConversionReview', response };
  };

export type Respond = (
  request: TestWebhookRequest,
  response: ServerResponse,
) => object | undefined | Promise<object | undefined>;

/** The webhook of all tests of a file, and the server of one test. */
export const fixture = {} as { webhook: TestWebhook; respond: Respond; server: ReturnType<typeof startInMemory> };

/** Starts the webhook before the tests of a file, and a server before each. */
export function useConversionServer(options: Parameters<typeof startInMemory>[0] = {}): void {
  beforeAll(async () => {
    fixture.webhook = await startTestWebhook(serving, (request, response) => fixture.respond(request, response));
  });
  afterAll(() => fixture.webhook[Symbol.asyncDispose]());
  beforeEach(async () => {
    fixture.respond = converting(convertMultiVersion);
    const resolveService = () => ({ hostname: '127.0.0.1', port: fixture.webhook.port });
    fixture.server = startInMemory({ resolveService, ...options });
    await fixture.server.started;
  });
  afterEach(() => fixture.server.stop());
}

export const service = { namespace: 'tools', name: 'hook', path: '/convert' };
export const byWebhook = (
  conversionReviewVersions: string[] = ['v1', 'v1beta1'],
  clientConfig: object = { service },
) => ({
  strategy: 'Webhook',
  webhook: { clientConfig: { caBundle, ...clientConfig }, conversionReviewVersions },
});

export const pathOf = (version: string, name = '', subresource = '') =>
  ['/apis/stable.example.com', version, 'namespaces/ns/multiversion', name, subresource]
    .filter((part) => part !== '')
    .join('/');

export async function send(method: string, path: string, body?: object, type?: string) {
  const request = { method, path, ...(body && { body: JSON.stringify(body) }), ...(type && { type }) };
  return await fixture.server.ask(request);
}
export const merge = 'application/merge-patch+json';

export async function define(storage: string, conversion: ReturnType<typeof byWebhook> | { strategy: 'None' }) {
  const definition = multiVersion(storage, conversion as Parameters<typeof multiVersion>[1]);
  const { code, json } = await send('GET', `${DEFINITIONS}/${MULTI_VERSION}`);
  const { resourceVersion } = (json as { metadata: { resourceVersion?: string } }).metadata ?? {};
  const isNew = code === 404;
  const metadata = { ...definition.metadata, ...(!isNew && { resourceVersion }) };
  const path = isNew ? DEFINITIONS : `${DEFINITIONS}/${MULTI_VERSION}`;
  const stored = await send(isNew ? 'POST' : 'PUT', path, { ...definition, metadata });
  expect(stored.json.message).toBeUndefined();
  await until(fixture.server, pathOf(storage), () => true);
}

/** Removes a version that was never stored from the definition, and waits until it is not served. */
export async function removeVersion(version: string): Promise<void> {
  const { json } = await send('GET', `${DEFINITIONS}/${MULTI_VERSION}`);
  const definition = json as unknown as CustomResourceDefinition;
  const versions = definition.spec.versions?.filter(({ name }) => name !== version);
  await send('PUT', `${DEFINITIONS}/${MULTI_VERSION}`, {
    ...definition,
    spec: { ...definition.spec, versions: versions ?? [] },
  });
  await expect.poll(async () => (await send('GET', pathOf(version))).code).toBe(404);
}

/** Makes another version the one that is stored, and waits until it is. */
export async function storeIn(version: string, conversion = byWebhook()) {
  await define(version, conversion);
  const probe = multiVersionObject(version, 'probe');
  await expect
    .poll(async () => {
      await send('POST', pathOf(version), probe);
      const { apiVersion } = (await storedObject('probe')) ?? {};
      await send('DELETE', pathOf(version, 'probe'));
      return apiVersion;
    })
    .toBe(`stable.example.com/${version}`);
}

export const storeKey = (name: string) => `/registry/stable.example.com/multiversion/ns/${name}`;

export async function storedObject(name: string): Promise<Json | undefined> {
  const { kv } = await fixture.server.store.get(storeKey(name));
  return kv && JSON.parse(Buffer.from(kv.value).toString());
}

export const content = ({ content, num, contentv2, numv2, apiVersion }: Json) => ({
  apiVersion,
  content,
  num,
  contentv2,
  numv2,
});
export const expected = (version: string) => content(multiVersionObject(version, ''));
