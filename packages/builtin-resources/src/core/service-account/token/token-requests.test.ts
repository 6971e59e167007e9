import type { TokenRequest, TokenRequestSpec } from '@apiserver/api/authentication/v1';
import type { ServiceAccount } from '@apiserver/api/core/v1';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { GenericStore, RestStorage } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../../testing/group-dependencies.js';
import { serviceAccounts } from '../index.js';
import type { BoundObjectGetter } from './bound-objects.js';
import type { IssueOrder } from './token-issuer.js';
import type { TokenRequestOptions } from './with-token-requests.js';

const account: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'ns', uid: 'u1' },
};
const accounts = {
  get: async (_context: unknown, name: string) => {
    if (name === 'robot') return { object: account };
    throw newNotFound({ group: '', resource: 'serviceaccounts' }, name);
  },
} as unknown as GenericStore<ServiceAccount>;

const pods: Record<string, Awaited<ReturnType<BoundObjectGetter['pod']>>> = {
  mine: { metadata: { name: 'mine', uid: 'p1' }, spec: { serviceAccountName: 'robot', nodeName: 'n' } },
  lost: { metadata: { name: 'lost', uid: 'p2' }, spec: { serviceAccountName: 'robot', nodeName: 'gone' } },
  theirs: { metadata: { name: 'theirs', uid: 'p3' }, spec: { serviceAccountName: 'other' } },
};

async function named<T>(objects: Readonly<Record<string, T>>, resource: string, name: string): Promise<T> {
  const object = objects[name];
  if (object === undefined) throw newNotFound({ group: '', resource }, name);
  return object;
}

const objects: BoundObjectGetter = {
  pod: (_namespace, name) => named(pods, 'pods', name),
  secret: (_namespace, name) => named({ s: { metadata: { name: 's', uid: 's1' } } }, 'secrets', name),
  node: (name) => named({ n: { metadata: { name: 'n', uid: 'n1' } } }, 'nodes', name),
};

async function request(
  spec: TokenRequestSpec,
  changes: Partial<TokenRequestOptions> & { name?: string; metadata?: TokenRequest['metadata'] } = {},
) {
  const { name = 'robot', metadata = {}, ...options } = changes;
  const orders: IssueOrder[] = [];
  const warned: string[] = [];
  const annotations = new Map<string, string>();
  const definition = serviceAccounts({
    issuer: { generate: async (order) => ({ token: `token ${orders.push(order)}`, id: 'j1' }) },
    audiences: ['api'],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    maxExtendedSeconds: 365 * 24 * 60 * 60,
    objects,
    now: () => Date.parse('2030-01-01T00:00:00Z'),
    features: TEST_FEATURES,
    ...options,
  });
  const storage: RestStorage | undefined = definition.subresources['token']?.override?.(accounts);
  const requestInfo = { name } as NonNullable<ReturnType<typeof testContext>['requestInfo']>;
  const context = {
    ...testContext(),
    namespace: 'ns',
    requestInfo,
    warnings: { warn: (text: string) => warned.push(text) },
    audit: {
      wantsRequestObject: false,
      wantsResponseObject: false,
      annotate: (key: string, value: string) => void annotations.set(key, value),
      spend: () => {},
      impersonate: () => {},
      requestTarget: () => {},
      requestObject: () => {},
      requestPatch: () => {},
      responseStatus: () => {},
      responseObject: () => {},
    },
  };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec, status: {} };
  definition.subresources['token']?.applyDefaults?.(body);
  const stored = await storage?.create?.(context, body, async () => {}, {});
  return { response: stored?.object, order: orders[0], warned, annotations };
}

describe('serviceaccounts/token', () => {
  it('sets the defaults of the request', async () => {
    const { response, order } = await request({});
    expect(response).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'ns', uid: 'u1', creationTimestamp: '2030-01-01T00:00:00Z' },
      spec: { audiences: ['api'], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: 'token 1', expirationTimestamp: '2030-01-01T01:00:00Z' },
    });
    expect(order).toEqual({
      namespace: 'ns',
      serviceAccount: { name: 'robot', uid: 'u1' },
      audiences: ['api'],
      expirationSeconds: 3600,
    });
  });

  it.each<[string, string, Partial<IssueOrder>]>([
    ['Pod', 'mine', { pod: { name: 'mine', uid: 'p1' }, node: { name: 'n', uid: 'n1' } }],
    ['Pod', 'lost', { pod: { name: 'lost', uid: 'p2' }, node: { name: 'gone' } }],
    ['Secret', 's', { secret: { name: 's', uid: 's1' } }],
    ['Node', 'n', { node: { name: 'n', uid: 'n1' } }],
  ])('binds to the %s %s', async (kind, name, bonds) => {
    const { order } = await request({ boundObjectRef: { kind, apiVersion: 'v1', name } });
    expect(order).toMatchObject(bonds);
    expect(Object.keys(order ?? {}).length).toBe(4 + Object.keys(bonds).length);
  });

  it.each<[TokenRequestSpec, string]>([
    [
      { expirationSeconds: 599 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 32 + 1 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nope' } }, 'pods "nope" not found'],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'theirs' } },
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'apps/v1', name: 'mine' } },
      'cannot bind token to object of type apps/v1, Kind=Pod',
    ],
    [
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'x' } },
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('refuses %j', async (spec, message) => {
    await expect(request(spec)).rejects.toThrow(message);
  });

  it('applies to the account in its path', async () => {
    await expect(request({}, { name: 'nope' })).rejects.toThrow('serviceaccounts "nope" not found');
    await expect(request({}, { metadata: { name: 'x' } })).rejects.toThrow(
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    );
  });

  it('is noted for a recreated account without TokenRequestServiceAccountUIDValidation', async () => {
    const features = testFeatures({ TokenRequestServiceAccountUIDValidation: false });
    const { order, annotations } = await request({}, { metadata: { uid: 'u0' }, features });
    expect([order?.serviceAccount.uid, annotations.get('authentication.k8s.io/token-request-uid-mismatch')]).toEqual([
      'u1',
      'the UID in the token request (u0) does not match the UID of the service account (u1)',
    ]);
  });

  it('is refused for a recreated account', async () => {
    await expect(request({}, { metadata: { uid: 'u0' } })).rejects.toMatchObject({
      status: {
        code: 409,
        message:
          'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (u0) does not match the UID of the service account (u1)',
      },
    });
    expect((await request({}, { metadata: { uid: 'u1' } })).response?.metadata).toMatchObject({ uid: 'u1' });
  });

  it('shortens an expiration beyond the maximum, with a warning', async () => {
    const { response, order, warned } = await request({ expirationSeconds: 7200 }, { maxExpirationSeconds: 3600 });
    expect([response?.['spec' as never], order?.expirationSeconds, warned]).toEqual([
      { audiences: ['api'], expirationSeconds: 3600, boundObjectRef: null },
      3600,
      ['requested expiration of 7200 seconds shortened to 3600 seconds'],
    ]);
  });

  it('extends only tokens that kubelets request for pods', async () => {
    const injected = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'mine' } };
    const lives = async (...args: Parameters<typeof request>) => {
      const { order } = await request(...args);
      return [order?.expirationSeconds, order?.warnAfterSeconds];
    };
    expect(await lives(injected)).toEqual([31_536_000, 3607]);
    expect(await lives(injected, { extendExpiration: false })).toEqual([3607, undefined]);
    expect(await lives({ ...injected, audiences: ['vault'] })).toEqual([3607, undefined]);
    expect(await lives({ ...injected, boundObjectRef: null })).toEqual([3607, undefined]);
  });
});
