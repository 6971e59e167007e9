import type { ServerResponse } from 'node:http';
import { makeTestCertificate, type TestCertificate, testKeyUsage } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebhookFixture } from '../testing/webhook-fixture.js';

const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['hook.ns.svc'] });
const POST = 'Post "https://hook.ns.svc:443/?timeout=10s"';

type Respond = (uid: string, response: ServerResponse) => object | undefined;

let respond: Respond;
let webhook: TestWebhook;

beforeAll(async () => {
  webhook = await startTestWebhook(serving, ({ body }, response) => {
    return respond(JSON.parse(body).request.uid, response);
  });
});
afterAll(() => webhook[Symbol.asyncDispose]());

const review = (response: object) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

/** Runs a request that a mutating webhook with a fault sees. */
async function run(failurePolicy: string, fault: Respond, port = webhook.port) {
  return await newFixture(failurePolicy, fault, port).run();
}

function newFixture(failurePolicy: string, fault: Respond, port = webhook.port): WebhookFixture {
  respond = fault;
  const fixture = new WebhookFixture(() => port);
  fixture.mutating.put({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'm' },
    webhooks: [
      {
        name: 'faulty.example.com',
        clientConfig: {
          service: { namespace: 'ns', name: 'hook' },
          caBundle: Buffer.from(authority.certificate).toString('base64'),
        },
        rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
        namespaceSelector: {},
        objectSelector: {},
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 10,
        failurePolicy,
      },
    ],
  });
  return fixture;
}

it('admits when an audit annotation of the webhook cannot be set, and logs it', async () => {
  const annotated: Respond = (uid) => review({ uid, allowed: true, auditAnnotations: { key: 'value' } });
  const fixture = newFixture('Fail', annotated);
  const { refused } = await fixture.run({
    addAnnotation: (name) => (name.startsWith('faulty') ? 'is set' : undefined),
  });
  expect([refused, fixture.lines.map(({ message, fields }) => [message, fields])]).toEqual([
    undefined,
    [
      [
        'Failed to set an audit annotation of a webhook',
        { webhook: 'faulty.example.com', key: 'key', reason: 'is set' },
      ],
    ],
  ]);
});

it('adds 1,000 audit annotations of a review, and logs the number of the others', async () => {
  const auditAnnotations = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`k${i}`, 'v']));
  const fixture = newFixture('Fail', (uid) => review({ uid, allowed: true, auditAnnotations }));
  const added: string[] = [];
  await fixture.run({ addAnnotation: (key) => void added.push(key) });
  const ofWebhook = added.filter((key) => key.startsWith('faulty.example.com/'));
  expect([ofWebhook.length, fixture.lines.map(({ fields }) => fields)]).toEqual([
    1_000,
    [{ webhook: 'faulty.example.com', dropped: 200, maximum: 1_000 }],
  ]);
});

it.each<[string, Respond]>([
  ['that admits', (uid) => review({ uid, allowed: true })],
  ['that refuses', (uid) => review({ uid, allowed: false })],
])('reports the time of a webhook %s', async (_what, answer) => {
  const calls: unknown[] = [];
  await newFixture('Fail', answer).run({
    webhookTook: (phase, milliseconds) => calls.push([phase, milliseconds > 0]),
  });
  expect(calls).toEqual([['mutating', true]]);
});

it('names a webhook with a certificate of an old form in the audit event', async () => {
  const admits: Respond = (uid) => review({ uid, allowed: true });
  const annotationsOf = async (certificate: TestCertificate) => {
    await using wrong = await startTestWebhook(certificate, () => ({}));
    const { annotations } = await run('Ignore', admits, wrong.port);
    return Object.entries(annotations).filter(([key]) => key.includes('invalid-cert'));
  };
  expect([
    await annotationsOf(makeTestCertificate({ issuer: authority, commonName: 'hook.ns.svc' })),
    await annotationsOf(makeTestCertificate({ issuer: authority, hosts: ['a.svc'] })),
  ]).toEqual([
    [
      [
        'missing-san.invalid-cert.kubernetes.io/hook.ns.svc',
        'relies on a legacy Common Name field instead of the SAN extension for subject validation',
      ],
    ],
    [],
  ]);
});

describe('a webhook with a fault', () => {
  it.each<[string, Respond, string]>([
    [
      'that responds with 60,000 annotations',
      (uid) =>
        review({ uid, auditAnnotations: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, ''])) }),
      'more than 50000 members',
    ],
    [
      'that responds without end',
      (_uid, response) => {
        const chunk = Buffer.alloc(1024 * 1024, ' ');
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
        return undefined;
      },
      'the response of the server is larger than 8388608 bytes',
    ],
    [
      'that redirects',
      (_uid, response) => {
        response.writeHead(307, { location: '/elsewhere' }).end();
        return undefined;
      },
      'the server responded with the status code 307 but did not return more information',
    ],
    [
      'that closes the connection',
      (_uid, response) => {
        response.socket?.destroy();
        return undefined;
      },
      `${POST}: EOF`,
    ],
    [
      'that dies within its response',
      (_uid, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{', () => response.socket?.destroy());
        return undefined;
      },
      'unexpected error when reading response body. Please retry. Original error: unexpected EOF',
    ],
  ])('%s fails closed or open', async (_, fault, reason) => {
    const closed = await run('Fail', fault);
    const open = await run('Ignore', fault);
    expect([closed.refused?.message, open.refused, open.object?.['data']]).toEqual([
      `Internal error occurred: failed calling webhook "faulty.example.com": failed to call webhook: ${reason}`,
      undefined,
      { k: '1' },
    ]);
  });

  const hosts = ['hook.ns.svc'];
  const namesake = makeTestCertificate({ commonName: 'webhooks', authority: true });
  const unnamed = makeTestCertificate({ organizations: ['Shop'], authority: true });
  it.each<[string, TestCertificate, string]>([
    [
      'of another name',
      makeTestCertificate({ issuer: authority, hosts: ['a.svc', 'b.svc'] }),
      'certificate is valid for a.svc, b.svc, not hook.ns.svc',
    ],
    [
      'without names',
      makeTestCertificate({ issuer: authority, commonName: 'hook.ns.svc' }),
      'certificate relies on legacy Common Name field, use SANs instead',
    ],
    [
      'of its own',
      makeTestCertificate({ hosts, commonName: 'hook.ns.svc' }),
      'certificate signed by unknown authority',
    ],
    [
      'of another authority',
      makeTestCertificate({ issuer: unnamed, hosts }),
      'certificate signed by unknown authority',
    ],
    [
      'of a new authority with the old name',
      makeTestCertificate({ issuer: namesake, hosts }),
      'certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "webhooks")',
    ],
    [
      'that has expired',
      makeTestCertificate({ issuer: authority, hosts, notAfter: new Date('2021-02-03T04:05:06Z') }),
      'certificate has expired or is not yet valid: current time NOW is after 2021-02-03T04:05:06Z',
    ],
    [
      'that is not yet valid',
      makeTestCertificate({ issuer: authority, hosts, notBefore: new Date('2119-02-03T04:05:06Z') }),
      'certificate has expired or is not yet valid: current time NOW is before 2119-02-03T04:05:06Z',
    ],
    [
      'of another name and another authority',
      makeTestCertificate({ issuer: unnamed, hosts: ['a.svc'] }),
      'certificate is valid for a.svc, not hook.ns.svc',
    ],
    [
      'of its own with another name',
      makeTestCertificate({ hosts: ['a.svc'] }),
      'certificate is valid for a.svc, not hook.ns.svc',
    ],
    [
      'of another name and another authority that has expired',
      makeTestCertificate({ issuer: unnamed, hosts: ['a.svc'], notAfter: new Date('2021-02-03T04:05:06Z') }),
      'certificate has expired or is not yet valid: current time NOW is after 2021-02-03T04:05:06Z',
    ],
    [
      'of a hundred other names',
      makeTestCertificate({ issuer: authority, hosts: Array.from({ length: 100 }, (_, at) => `a${at}.svc`) }),
      'certificate is valid for 100 names, but none matched hook.ns.svc',
    ],
    [
      'of another authority for clients',
      makeTestCertificate({ issuer: unnamed, hosts, extendedKeyUsage: [testKeyUsage.clientAuth] }),
      'certificate signed by unknown authority',
    ],
    [
      'of another name for clients',
      makeTestCertificate({ issuer: authority, hosts: ['a.svc'], extendedKeyUsage: [testKeyUsage.clientAuth] }),
      'certificate is valid for a.svc, not hook.ns.svc',
    ],
    [
      'for clients',
      makeTestCertificate({ issuer: authority, hosts, extendedKeyUsage: [testKeyUsage.clientAuth] }),
      'certificate specifies an incompatible key usage',
    ],
  ])('that presents a certificate %s fails closed or open', async (_, certificate, reason) => {
    await using wrong = await startTestWebhook(certificate, () => ({}));
    const admits: Respond = (uid) => review({ uid, allowed: true });
    const closed = await run('Fail', admits, wrong.port);
    const open = await run('Ignore', admits, wrong.port);
    const message = closed.refused?.message?.replace(/time \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ is/, 'time NOW is');
    expect([message, open.refused, wrong.requests.length]).toEqual([
      `Internal error occurred: failed calling webhook "faulty.example.com": failed to call webhook: ${POST}: ` +
        `tls: failed to verify certificate: x509: ${reason}`,
      undefined,
      0,
    ]);
  });

  it('is called again after it has died', async () => {
    const dying: Respond = (_uid, response) => {
      response.socket?.destroy();
      return undefined;
    };
    const alive: Respond = (uid) => review({ uid, allowed: true });
    const outcomes = [await run('Fail', dying), await run('Fail', alive)];
    expect(outcomes.map(({ refused }) => refused?.code)).toEqual([500, undefined]);
  });

  it('may send a patch of any number of operations, and other work goes on meanwhile', async () => {
    const operations = Array.from({ length: 100_000 }, (_, i) => ({ op: 'add', path: `/data/k${i % 50}`, value: 'v' }));
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    const { refused, object } = await run('Fail', (uid) =>
      review({ uid, allowed: true, patchType: 'JSONPatch', patch }),
    );
    clearInterval(ticking);
    expect([refused, Object.keys(object?.['data'] ?? {}).length, turns > 2]).toEqual([undefined, 51, true]);
  });
});
