import type { Pod, PodSpec, ServiceAccount } from '@apiserver/api/core/v1';
import { describe, expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { container, pod } from '../../testing/sample-objects.js';
import { serviceAccount } from './service-account.js';

const MOUNT = {
  name: 'kube-api-access-bbbbb',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
};

function account(changes: Partial<ServiceAccount> = {}, annotations: Record<string, string> = {}): ServiceAccount {
  const metadata = { name: 'default', namespace: 'ns', annotations };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, ...changes };
}

async function admitted(object: Pod, accounts: ServiceAccount[] = [account()]) {
  const dependencies = testPluginDependencies({ serviceaccounts: accounts });
  const outcome = await runPlugin(serviceAccount(dependencies), objectAttributes('pods', object));
  return 'refused' in outcome ? outcome.refused : (outcome.object as Pod).spec;
}

const NO_TOKEN = { automountServiceAccountToken: false };
const forbidden = (fault: string) => `pods "p" is forbidden: ${fault}`;

describe('a new pod', () => {
  it('gets the default account, and a token in every container', async () => {
    const spec = await admitted(pod({ initContainers: [container({ name: 'init' })] }));
    expect(spec).toEqual({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      initContainers: [{ ...container({ name: 'init' }), volumeMounts: [MOUNT] }],
      containers: [{ ...container(), volumeMounts: [MOUNT] }],
      volumes: [
        {
          name: 'kube-api-access-bbbbb',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
            defaultMode: 420,
          },
        },
      ],
    });
  });

  it.each<[string, Partial<PodSpec>, ServiceAccount, number]>([
    ['the pod opts out', NO_TOKEN, account(), 0],
    ['the account opts out', {}, account(NO_TOKEN), 0],
    ['the pod opts in and the account opts out', { automountServiceAccountToken: true }, account(NO_TOKEN), 1],
    [
      'something is mounted there',
      { containers: [container({ volumeMounts: [{ ...MOUNT, name: 'mine' }] })] },
      account(),
      0,
    ],
    ['the pod already has such a volume', { volumes: [{ name: 'kube-api-access-x' }] }, account(), 1],
  ])('has the token volumes that it needs: %s', async (_what, changes, owner, volumes) => {
    const spec = await admitted(pod(changes), [owner]);
    expect(spec).toMatchObject(volumes === 0 ? {} : { volumes: [{}] });
    expect((spec as PodSpec).volumes?.length ?? 0).toBe(volumes);
  });

  it.each<[Partial<PodSpec>, unknown]>([
    [{}, [{ name: 'pull' }]],
    [{ imagePullSecrets: [{ name: 'mine' }] }, [{ name: 'mine' }]],
  ])('gets the pull secrets of its account unless it has its own: %j', async (changes, imagePullSecrets) => {
    const owner = account({ imagePullSecrets: [{ name: 'pull' }] });
    expect(await admitted(pod({ ...NO_TOKEN, ...changes }), [owner])).toMatchObject({ imagePullSecrets });
  });

  it('is refused without its account, after retries for the default account', async () => {
    const dependencies = testPluginDependencies();
    const plugin = serviceAccount(dependencies);
    const refused = async (spec: Partial<PodSpec>) => runPlugin(plugin, objectAttributes('pods', pod(spec)));
    expect(await refused({ serviceAccountName: 'robot' })).toEqual({
      refused: forbidden('error looking up service account ns/robot: serviceaccount "robot" not found'),
    });
    expect(dependencies.calls).toEqual(['sync serviceaccounts', 'get serviceaccounts robot']);
    expect(await refused({})).toEqual({
      refused: forbidden('error looking up service account ns/default: serviceaccount "default" not found'),
    });
    expect(dependencies.calls.slice(2)).toEqual(Array(10).fill('get serviceaccounts default'));
  });

  it('finds an account that the informer lacks', async () => {
    const dependencies = testPluginDependencies({ serviceaccounts: [account()] });
    const informer: typeof dependencies.informer = (resource) => ({
      ...dependencies.informer(resource),
      get: () => undefined,
    });
    const outcome = await runPlugin(
      serviceAccount({ ...dependencies, informer }),
      objectAttributes('pods', pod(NO_TOKEN)),
    );
    expect(outcome).toMatchObject({ object: { spec: { serviceAccountName: 'default' } } });
  });
});

describe('a mirror pod', () => {
  const mirror = (spec: Partial<PodSpec>) => pod(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
  const token = { serviceAccountToken: { path: 't' } };
  it.each<[Partial<PodSpec>, unknown]>([
    [{}, { containers: [container()] }],
    [{ serviceAccountName: 'a' }, forbidden('a mirror pod may not reference service accounts')],
    [{ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, forbidden('a mirror pod may not reference secrets')],
    [
      { containers: [container({ envFrom: [{ secretRef: { name: 's' } }] })] },
      forbidden('a mirror pod may not reference secrets'),
    ],
    [
      { volumes: [{ name: 'v', projected: { sources: [token] } }] },
      forbidden('a mirror pod may not use ServiceAccountToken volume projections'),
    ],
  ])('%j', async (spec, expected) => {
    expect(await admitted(mirror(spec), [])).toEqual(expected);
  });
});

describe('an account that names its secrets', () => {
  const strict = (changes: Partial<ServiceAccount> = {}) =>
    account({ ...NO_TOKEN, ...changes }, { 'kubernetes.io/enforce-mountable-secrets': 'true' });
  const envOf = (name: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }];
  const fromOf = (name: string) => [{ secretRef: { name } }];
  const fault = (where: string) =>
    forbidden(`${where} is not allowed because service account default does not reference that secret`);

  it.each<[Partial<PodSpec>, string]>([
    [{ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, fault('volume with secret.secretName="s"')],
    [
      { initContainers: [container({ env: envOf('s') })] },
      fault('init container c with envVar E referencing secret.secretName="s"'),
    ],
    [
      { initContainers: [container({ envFrom: fromOf('s') })] },
      fault('init container c with envFrom referencing secret.secretName="s"'),
    ],
    [
      { containers: [container({ env: envOf('s') })] },
      fault('container c with envVar E referencing secret.secretName="s"'),
    ],
    [
      { containers: [container({ envFrom: fromOf('s') })] },
      fault('container c with envFrom referencing secret.secretName="s"'),
    ],
    [
      { imagePullSecrets: [{ name: 's' }] },
      forbidden(
        'imagePullSecrets[0].name="s" is not allowed because service account default does not reference that imagePullSecret',
      ),
    ],
  ])('limits its pods to these: %j', async (spec, refused) => {
    expect(await admitted(pod(spec), [strict()])).toBe(refused);
    const own = strict({ secrets: [{ name: 's' }], imagePullSecrets: [{ name: 's' }] });
    expect(await admitted(pod(spec), [own])).toMatchObject(spec);
  });

  it('does not limit pods without secrets', async () => {
    expect(await admitted(pod(), [strict()])).toMatchObject({ serviceAccountName: 'default' });
  });

  it('checks the secrets of ephemeral containers', async () => {
    const spec = {
      serviceAccountName: 'default',
      ephemeralContainers: [{ name: 'e', env: envOf('s'), resources: {} }],
    };
    const attributes = objectAttributes('pods/ephemeralcontainers', pod(spec), { oldObject: pod() });
    const run = (owner: ServiceAccount) =>
      runPlugin(serviceAccount(testPluginDependencies({ serviceaccounts: [owner] })), attributes);
    expect(await run(strict())).toEqual({
      refused:
        'ephemeral container e with envVar E referencing secret.secretName="s" is not allowed because service account default does not reference that secret',
    });
    expect(await run(account())).toEqual({ object: attributes.object });
  });
});

it('leaves pod updates unchanged', () => {
  const plugin = serviceAccount(testPluginDependencies());
  const { scope } = objectAttributes('pods', pod());
  expect([plugin.handles('CREATE', scope), plugin.handles('UPDATE', scope)]).toEqual([true, false]);
});
