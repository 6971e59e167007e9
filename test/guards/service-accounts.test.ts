import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

const server = assembledServer();
const PODS = paths.in('default', 'pods');
const ACCOUNTS = paths.in('default', 'serviceaccounts');

beforeAll(async () => {
  const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  await server.make(ACCOUNTS, core('ServiceAccount', 'robot'));
  await server.make(ACCOUNTS, {
    ...core('ServiceAccount', 'careful', { secrets: [{ name: 'its-own' }], imagePullSecrets: [{ name: 'pull' }] }),
    metadata: { name: 'careful', annotations },
  });
});

describe('a pod', () => {
  it('runs as an account that there is', async () => {
    const { code, body } = await server.ask('POST', PODS, pod('nobody', { serviceAccountName: 'none' }));
    expect([code, body.message]).toEqual([
      403,
      'pods "nobody" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    ]);
  });

  it('gets the token and the pull secrets of its account', async () => {
    const spec = { serviceAccountName: 'careful', automountServiceAccountToken: true };
    const { spec: given } = await server.make(PODS, pod('mounted', spec));
    const [{ projected }] = given.volumes;
    expect([given.imagePullSecrets, projected.sources[0].serviceAccountToken.path]).toEqual([
      [{ name: 'pull' }],
      'token',
    ]);
  });

  it.each<[string, object, string]>([
    [
      'a volume',
      { volumes: [{ name: 'v', secret: { secretName: 'another' } }] },
      'volume with secret.secretName="another" is not allowed because service account careful does not reference that secret',
    ],
    [
      'the environment',
      {
        containers: [
          { name: 'c', image: 'i', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'another', key: 'k' } } }] },
        ],
      },
      'container c with envVar E referencing secret.secretName="another" is not allowed because service account careful does not reference that secret',
    ],
    [
      'pulling',
      { imagePullSecrets: [{ name: 'another' }] },
      'imagePullSecrets[0].name="another" is not allowed because service account careful does not reference that imagePullSecret',
    ],
  ])('takes only the secrets of a careful account, for %s', async (_use, spec, fault) => {
    const taken = pod('taking', { serviceAccountName: 'careful', ...spec });
    const { code, body } = await server.ask('POST', PODS, taken);
    expect([code, body.message]).toEqual([403, expect.stringContaining(fault)]);
    const others = pod('taking', { serviceAccountName: 'robot', ...spec });
    expect((await server.ask('POST', `${PODS}?dryRun=All`, others)).code).toBe(201);
  });
});

describe('a token', () => {
  const request = (spec: object) =>
    server.ask('POST', `${ACCOUNTS}/robot/token`, object('authentication.k8s.io/v1', 'TokenRequest', '', { spec }));
  const review = async (token: string) => {
    const sent = object('authentication.k8s.io/v1', 'TokenReview', '', { spec: { token } });
    return (await server.make('/apis/authentication.k8s.io/v1/tokenreviews', sent)).status;
  };

  it('is issued for an existing account, and proves its user', async () => {
    const { body } = await request({});
    expect(await review(body.status.token)).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:robot' },
    });
    const none = await server.ask(
      'POST',
      `${ACCOUNTS}/none/token`,
      object('authentication.k8s.io/v1', 'TokenRequest', ''),
    );
    expect(none.code).toBe(404);
  });

  it('is bound to a pod of the account, and ends with it', async () => {
    const { metadata } = await server.make(PODS, pod('holder', { serviceAccountName: 'robot' }));
    await server.make(PODS, pod('other', { serviceAccountName: 'careful' }));
    const boundTo = (name: string, uid?: string) =>
      request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid && { uid }) } });
    const codes = [
      (await boundTo('none')).code,
      (await boundTo('other')).code,
      (await boundTo('holder', 'another-uid')).code,
    ];
    expect(codes).toEqual([404, 400, 409]);
    const { token } = (await boundTo('holder', metadata.uid)).body.status;
    const { token: unseen } = (await boundTo('holder', metadata.uid)).body.status;
    expect((await review(token)).authenticated).toBe(true);
    await server.ask('DELETE', `${PODS}/holder?gracePeriodSeconds=0`);
    // A token that was seen stays known for 10 seconds.
    expect((await review(unseen)).authenticated ?? false).toBe(false);
  });

  it('is bound to a node, and ends with it', async () => {
    const { metadata } = await server.make(paths.nodes, core('Node', 'n1'));
    const boundObjectRef = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: metadata.uid };
    const { token } = (await request({ boundObjectRef })).body.status;
    const { token: unseen } = (await request({ boundObjectRef })).body.status;
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: { extra: { 'authentication.kubernetes.io/node-name': ['n1'] } },
    });
    await server.ask('DELETE', `${paths.nodes}/n1`);
    expect((await review(unseen)).authenticated ?? false).toBe(false);
  });
});
