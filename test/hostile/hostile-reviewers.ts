import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { temporaryDirectory } from '../harness/api-server.ts';
import type { HostilePeers } from './hostile-case.ts';

/** Kinds of reviews that the server under attack asks for. Each is the path of its webhook, too. */
export type Reviewed = 'token' | 'access' | 'image' | 'audit';

/** A review as it arrives; `apiVersion` and `kind` of the answer are the same. */
export interface SentReview {
  readonly apiVersion: string;
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another one
  readonly spec: any;
}

/** Answers a review with everything that HTTP allows. */
export type Answer = (review: SentReview, response: ServerResponse, request: IncomingMessage) => void;

/** Answers of the case that runs; a kind without one gets a harmless answer. */
export const ANSWERS = new Map<Reviewed, Answer>();

/** The user of every token that begins so. The webhook for accesses decides on this user. */
export const REVIEWED_USER = 'reviewed';

/** The status of a harmless review. */
const HARMLESS: Readonly<Record<Reviewed, object>> = {
  token: { authenticated: true, user: { username: REVIEWED_USER } },
  access: { allowed: true },
  image: { allowed: true },
  audit: {},
};

/** Writes a review with this status. */
export function answerWith({ apiVersion, kind }: SentReview, response: ServerResponse, status: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion, kind, status }));
}

/** Starts webhooks in this process, whose time does not count. */
export async function startHostileReviewers(): Promise<HostilePeers> {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryDirectory('hostile-reviewers')).path;
  const { certificate, key } = makeTestCertificate({ hosts: ['127.0.0.1'] });
  const server = createServer({ cert: certificate, key, keepAliveTimeout: 0 }, async (request, response) => {
    const kind = /^\/(\w+)/.exec(request.url ?? '')?.[1] as Reviewed;
    const review: SentReview = JSON.parse(await text(request));
    const answer = ANSWERS.get(kind);
    if (answer === undefined) answerWith(review, response, HARMLESS[kind]);
    else answer(review, response, request);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const authority = Buffer.from(certificate).toString('base64');
  const kubeconfig = (kind: Reviewed) => {
    const cluster = { server: `https://127.0.0.1:${port}/${kind}`, 'certificate-authority-data': authority };
    return writeJson(join(folder, `${kind}.kubeconfig`), {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'w', cluster }],
      users: [{ name: 's', user: {} }],
      contexts: [{ name: 'c', context: { cluster: 'w', user: 's' } }],
    });
  };
  const args = [
    `--authentication-token-webhook-config-file=${kubeconfig('token')}`,
    '--authentication-token-webhook-version=v1',
    `--authorization-config=${writeJson(join(folder, 'authorization.json'), authorizationOf(kubeconfig('access')))}`,
    '--enable-admission-plugins=ImagePolicyWebhook',
    `--admission-control-config-file=${writeJson(join(folder, 'admission.json'), admissionOf(kubeconfig('image')))}`,
    `--audit-policy-file=${writeJson(join(folder, 'policy.json'), AUDIT_POLICY)}`,
    `--audit-webhook-config-file=${kubeconfig('audit')}`,
    '--audit-webhook-initial-backoff=100ms',
    '--audit-webhook-batch-max-wait=100ms',
  ];
  const held = resources.move();
  return { args, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** Requests of the reviewed user are audited, and no others. */
const AUDIT_POLICY = {
  ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy' },
  rules: [{ level: 'Metadata', users: [REVIEWED_USER], omitStages: ['RequestReceived'] }, { level: 'None' }],
};

function authorizationOf(kubeConfigFile: string): object {
  const webhook = {
    ...{ timeout: '30s', authorizedTTL: '1m', unauthorizedTTL: '1m' },
    ...{ subjectAccessReviewVersion: 'v1', matchConditionSubjectAccessReviewVersion: 'v1' },
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
    matchConditions: [{ expression: `request.user == '${REVIEWED_USER}'` }],
  };
  return {
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration' },
    authorizers: [
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
      { type: 'Webhook', name: 'hostile', webhook },
    ],
  };
}

function admissionOf(kubeConfigFile: string): object {
  const configuration = { imagePolicy: { kubeConfigFile, allowTTL: 30, denyTTL: 30, retryBackoff: 100 } };
  return {
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' },
    plugins: [{ name: 'ImagePolicyWebhook', configuration }],
  };
}

function writeJson(file: string, value: object): string {
  writeFileSync(file, JSON.stringify(value));
  return file;
}
