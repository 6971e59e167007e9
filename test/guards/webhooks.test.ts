import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths } from './objects.ts';

const server = assembledServer();
const CONFIG_MAPS = paths.in('default', 'configmaps');
const configurationsOf = (plural: string) => `/apis/admissionregistration.k8s.io/v1/${plural}`;
const VALIDATING = configurationsOf('validatingwebhookconfigurations');
const MUTATING = configurationsOf('mutatingwebhookconfigurations');

const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const stranger = makeTestCertificate({ commonName: 'others', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['127.0.0.1'] });

interface Review {
  readonly request: {
    readonly uid: string;
    readonly name: string;
    readonly operation: string;
    readonly object?: Readonly<Record<string, unknown>>;
  };
}

/** The decision of the webhook on a request. */
let decide: (review: Review) => object;
let webhook: TestWebhook;

beforeAll(async () => {
  webhook = await startTestWebhook(serving, ({ body }) => {
    const review: Review = JSON.parse(body);
    const response = { uid: review.request.uid, ...decide(review) };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  });
});
afterAll(() => webhook[Symbol.asyncDispose]());
beforeEach(() => {
  decide = () => ({ allowed: true });
});

/** A configuration of one webhook for ConfigMaps whose label `hook` has its name. */
function configuration(kind: 'Validating' | 'Mutating', name: string, more: object = {}): object {
  const hook = {
    name: `${name}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${webhook.port}/${name}`,
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { hook: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
  const webhooks = [hook];
  return object('admissionregistration.k8s.io/v1', `${kind}WebhookConfiguration`, name, { webhooks });
}

const labelled = (name: string, hook: string) => ({ ...core('ConfigMap', name), metadata: { name, labels: { hook } } });
const dryRun = (hook: string) => server.ask('POST', `${CONFIG_MAPS}?dryRun=All`, labelled('dry', hook));

describe('a validating webhook', () => {
  it('refuses what it selects, and nothing else', async () => {
    decide = ({ request }) => ({ allowed: false, status: { code: 418, message: `no ${request.operation}` } });
    await server.make(VALIDATING, configuration('Validating', 'refusing'));
    await server.until(418, () => dryRun('refusing'));
    const { body } = await server.ask('POST', CONFIG_MAPS, labelled('a', 'refusing'));
    expect(body.message).toBe('admission webhook "refusing.example.com" denied the request: no CREATE');
    await server.make(CONFIG_MAPS, labelled('b', 'other'));
    expect((await server.ask('DELETE', `${CONFIG_MAPS}/b`)).code).toBe(200);
  });

  it('that refuses with a code that HTTP does not have gets the response to a panic', async () => {
    decide = () => ({ allowed: false, status: { code: 418 } });
    await server.make(VALIDATING, configuration('Validating', 'overflowing'));
    await server.until(418, () => dryRun('overflowing'));
    for (const code of [1000, 2 ** 31 - 1]) {
      decide = () => ({ allowed: false, status: { code } });
      expect(await dryRun('overflowing')).toEqual({
        code: 500,
        body: 'This request caused apiserver to panic. Look in the logs for details.\n',
      });
    }
    decide = () => ({ allowed: false, status: { code: 999 } });
    expect((await dryRun('overflowing')).code).toBe(999);
  });

  it('refuses deletions', async () => {
    decide = ({ request }) => ({ allowed: request.operation !== 'DELETE' });
    await server.make(CONFIG_MAPS, labelled('kept', 'keeping'));
    await server.make(VALIDATING, configuration('Validating', 'keeping'));
    const remove = (query: string) => server.ask('DELETE', `${CONFIG_MAPS}/kept${query}`);
    await server.until(400, () => remove('?dryRun=All'));
    expect((await remove('')).body.message).toBe(
      'admission webhook "keeping.example.com" denied the request without explanation',
    );
    expect((await server.ask('GET', `${CONFIG_MAPS}/kept`)).code).toBe(200);
  });

  it.each([
    ['Fail', 500],
    ['Ignore', 201],
  ])('that cannot be called is governed by its failure policy, %s', async (failurePolicy, code) => {
    const name = `broken-${failurePolicy.toLowerCase()}`;
    const caBundle = Buffer.from(stranger.certificate).toString('base64');
    const clientConfig = { url: `https://127.0.0.1:${webhook.port}/${name}`, caBundle };
    await server.make(VALIDATING, configuration('Validating', name, { failurePolicy, clientConfig }));
    // A webhook that works shows that the server has seen both.
    decide = () => ({ allowed: false, status: { code: 418 } });
    await server.make(VALIDATING, configuration('Validating', `z-${name}`));
    await server.until(418, () => dryRun(`z-${name}`));
    expect((await server.ask('POST', CONFIG_MAPS, labelled(name, name))).code).toBe(code);
  });

  it('cannot keep its own configuration from being changed', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
    decide = ({ request }) => ({ allowed: request.name !== 'probe' && request.name !== 'all' });
    await server.make(VALIDATING, configuration('Validating', 'all', { rules, objectSelector: {} }));
    await server.until(400, () => server.ask('POST', `${CONFIG_MAPS}?dryRun=All`, core('ConfigMap', 'probe')));
    expect((await server.ask('DELETE', `${VALIDATING}/all`)).code).toBe(200);
    await server.until(201, () => server.ask('POST', `${CONFIG_MAPS}?dryRun=All`, core('ConfigMap', 'probe')));
  });
});

describe('a mutating webhook', () => {
  const patched = (operations: readonly object[]) => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  });

  it('changes what is stored', async () => {
    decide = () => patched([{ op: 'add', path: '/data', value: { by: 'webhook' } }]);
    await server.make(MUTATING, configuration('Mutating', 'adding'));
    await server.until(201, async () => {
      const { code, body } = await dryRun('adding');
      return { code: body.data === undefined ? 0 : code, body };
    });
    await server.make(CONFIG_MAPS, labelled('changed', 'adding'));
    expect((await server.ask('GET', `${CONFIG_MAPS}/changed`)).body.data).toEqual({ by: 'webhook' });
  });

  it('is called for a dry run, since it has no side effects then', async () => {
    await server.make(MUTATING, configuration('Mutating', 'effects', { sideEffects: 'NoneOnDryRun' }));
    decide = () => ({ allowed: false, status: { code: 418 } });
    await server.until(418, () => dryRun('effects'));
    const admitted = configuration('Mutating', 'writing', { sideEffects: 'Some' });
    const refused = await server.ask('POST', MUTATING, admitted);
    expect([refused.code, refused.body.message]).toEqual([
      422,
      expect.stringContaining('sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'),
    ]);
  });
});

it('sees a TokenRequest with the default expiration', async () => {
  const seen: unknown[] = [];
  decide = ({ request }) => {
    seen.push(request.object?.['spec']);
    return { allowed: true };
  };
  const rules = [
    { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['serviceaccounts/token'] },
  ];
  await server.make(MUTATING, configuration('Mutating', 'tokens', { rules, objectSelector: {} }));
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'robot'));
  const made = await server.make(
    `${paths.in('default', 'serviceaccounts')}/robot/token`,
    object('authentication.k8s.io/v1', 'TokenRequest', '', { spec: {} }),
  );
  expect([seen, made.metadata.managedFields]).toEqual([
    [{ audiences: null, expirationSeconds: 3600, boundObjectRef: null }],
    [expect.objectContaining({ fieldsV1: { 'f:spec': { 'f:expirationSeconds': {} } }, subresource: 'token' })],
  ]);
});
