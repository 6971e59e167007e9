import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeTestCertificate } from '@apiserver/authentication/testing';

/** The response of a webhook. */
export interface WebhookAnswer {
  readonly status: number;
  readonly type: string;
  /** `UID` stands for the uid of the request. */
  readonly body: string;
}

/** The annotation of an object that has the responses of webhooks by their paths. */
export const ANSWERS = 'answers';

/** A webhook that responds with what the reviewed object asks for, and allows all others. */
export interface AnsweringWebhook extends AsyncDisposable {
  readonly url: string;
  /** Base64. */
  readonly caBundle: string;
}

/** Starts it at a free port. */
export async function startAnsweringWebhook(): Promise<AnsweringWebhook> {
  const authority = makeTestCertificate({ commonName: 'authority', authority: true });
  const serving = makeTestCertificate({ commonName: 'webhook', issuer: authority, hosts: ['127.0.0.1'] });
  const server = createServer({ cert: serving.certificate, key: serving.key }, async (request, response) => {
    const { request: review, apiVersion, kind } = JSON.parse(await text(request));
    const { metadata } = review.object ?? review.oldObject;
    const answers = JSON.parse(metadata.annotations?.[ANSWERS] ?? '{}');
    const allowed = JSON.stringify({ apiVersion, kind, response: { uid: 'UID', allowed: true } });
    const path = new URL(request.url ?? '', 'https://localhost').pathname;
    const { status, type, body }: WebhookAnswer = answers[path] ?? {
      status: 200,
      type: 'application/json',
      body: allowed,
    };
    response.writeHead(status, { 'content-type': type });
    response.end(body.replaceAll('UID', review.uid));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
