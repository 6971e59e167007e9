import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { temporaryDirectory } from '../harness/api-server.ts';

/** A review as it arrives. */
export interface SentReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with the whole, or read one member
  readonly spec: any;
  readonly status: object;
}

/** The status of a review; a number is a status code without a review, a text is a body without one. */
export type Verdict = object | number | string;

/** A webhook over TLS, which knows its clients by their certificates. */
export interface FakeWebhook extends AsyncDisposable {
  readonly reviews: SentReview[];
  /** URL, client and type of each request. */
  readonly requests: string[];
  /** Writes a kubeconfig with the webhook as cluster, and returns its path. Default: the webhook's own authority. */
  kubeconfig(options?: { readonly path?: string; readonly ca?: string }): string;
  /** Ends the webhook: connections to it are refused. */
  close(): Promise<void>;
}

/** Starts a webhook that decides by `verdictOf`. */
export async function startFakeWebhook(
  verdictOf: (review: SentReview) => Verdict | Promise<Verdict>,
): Promise<FakeWebhook> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryDirectory('webhook')).path;
  const authority = makeTestCertificate({ commonName: 'webhook-authority', authority: true });
  const serving = makeTestCertificate({ commonName: 'webhook', issuer: authority, hosts: ['127.0.0.1'] });
  const client = makeTestCertificate({ commonName: 'kube-apiserver', issuer: authority });
  const reviews: SentReview[] = [];
  const requests: string[] = [];
  const tls = { cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true };
  const server = createServer(tls, async (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    requests.push(`${request.method} ${request.url} ${subject?.CN} ${request.headers['content-type']}`);
    const review: SentReview = JSON.parse(await text(request));
    reviews.push(review);
    const verdict = await verdictOf(review);
    const { apiVersion, kind } = review;
    const isCode = typeof verdict === 'number';
    response.writeHead(isCode ? verdict : 200, { 'content-type': 'application/json' });
    if (typeof verdict === 'string') response.end(verdict);
    else response.end(JSON.stringify(isCode ? {} : { apiVersion, kind, status: verdict }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  stack.defer(close);
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  let written = 0;
  return {
    reviews,
    requests,
    close,
    kubeconfig({ path = '/review', ca = authority.certificate } = {}) {
      const file = join(folder, `kubeconfig-${++written}`);
      writeFileSync(
        file,
        `apiVersion: v1
kind: Config
clusters: [{name: w, cluster: {server: 'https://127.0.0.1:${port}${path}', certificate-authority-data: ${base64(ca)}}}]
users: [{name: s, user: {client-certificate-data: ${base64(client.certificate)}, client-key-data: ${base64(client.key)}}}]
contexts: [{name: c, context: {cluster: w, user: s}}]
current-context: c
`,
      );
      return file;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
