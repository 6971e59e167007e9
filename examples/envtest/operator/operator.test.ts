import { conflict } from '@apiserver/envtest';
import { planeTest } from '@apiserver/envtest/vitest';
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { describe, expect } from 'vitest';
import { type HostRegistry, WebsiteOperator } from './src/operator.ts';
import { webhooks } from './src/webhooks.ts';
import type { Website } from './src/website.ts';

/** The names that the company's DNS would have. */
class Hosts implements HostRegistry {
  readonly registered = new Map<string, string>();

  async register(host: string, website: string): Promise<void> {
    this.registered.set(host, website);
  }

  async release(website: string): Promise<void> {
    for (const [host, user] of this.registered) if (user === website) this.registered.delete(host);
  }
}

const where = { namespace: 'default', name: 'shop' };
const websites = { group: 'example.com', version: 'v2', plural: 'websites', ...where };
const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const shop = (spec: Partial<Website['spec']> = {}): Website => ({
  apiVersion: 'example.com/v2',
  kind: 'Website',
  metadata: { ...where },
  spec: { hosts: ['shop.example.com'], pages: { 'index.html': 'Welcome' }, ...spec },
});

const config = (file: string) => new URL(`config/${file}`, import.meta.url);

/** Each test has a control plane and an operator of its own. */
const test = planeTest({
  crds: config('websites.yaml'),
  webhooks: config('webhook.yaml'),
  webhookServer: webhooks,
})
  .extend('hosts', () => new Hosts())
  .extend('operator', { auto: true }, async ({ plane, hosts }, { onCleanup }) => {
    const now = () => new Date(plane.clock.now());
    const operator = await WebsiteOperator.start(plane.kubeConfig(KubeConfig), { hosts, now });
    onCleanup(() => operator[Symbol.asyncDispose]());
    return operator;
  })
  .extend('api', ({ plane }) => ({
    core: plane.client(CoreV1Api),
    apps: plane.client(AppsV1Api),
    custom: plane.client(CustomObjectsApi),
  }));

describe('a website', () => {
  test('becomes a deployment and its pages', async ({ plane, api, hosts }) => {
    await plane.install(shop());
    const server = await plane.eventually(() => api.apps.readNamespacedDeployment(where));
    const { data } = await api.core.readNamespacedConfigMap(where);
    expect(data).toEqual({ 'index.html': 'Welcome' });
    expect(server.metadata?.ownerReferences).toMatchObject([{ kind: 'Website', name: 'shop', controller: true }]);
    expect(hosts.registered).toEqual(new Map([['shop.example.com', 'default/shop']]));
  });

  test('is ready when its deployment is, and remembers since when', async ({ plane, api }) => {
    const ready = async () => {
      const { status }: Website = await api.custom.getNamespacedCustomObject(websites);
      return status?.conditions?.map((condition) => [condition.status, condition.lastTransitionTime]);
    };
    plane.clock.hold();
    const begun = new Date(plane.clock.now()).toISOString();
    await plane.install(shop());
    await plane.eventually(async () => expect(await ready()).toEqual([['False', begun]]));

    await plane.clock.advance('10m');
    const later = new Date(plane.clock.now()).toISOString();
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await api.apps.patchNamespacedDeploymentStatus({ ...where, body: { status } }, mergePatch);
    await plane.eventually(async () => expect(await ready()).toEqual([['True', later]]));
  });

  test('gets its status even if others change it at the same time', async ({ plane, api }) => {
    plane.faults.add({ verb: 'update', resource: 'websites/status', times: 2, response: conflict() });
    await plane.install(shop());
    await plane.eventually(async () => {
      expect(await api.custom.getNamespacedCustomObject(websites)).toMatchObject({ status: { observedGeneration: 1 } });
    });
    const attempts = plane.requests({ verb: 'update', resource: 'websites/status' });
    expect(attempts.map(({ response }) => response?.status)).toEqual([409, 409, 200]);
  });

  test('is corrected when somebody deletes its deployment', async ({ plane, api }) => {
    await plane.install(shop());
    const first = await plane.eventually(() => api.apps.readNamespacedDeployment(where));
    await api.apps.deleteNamespacedDeployment(where);
    const second = await plane.eventually(() => api.apps.readNamespacedDeployment(where));
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
  });

  test('goes with everything that it has, in the cluster and outside', async ({ plane, api, hosts }) => {
    await plane.install(shop());
    await plane.eventually(() => api.apps.readNamespacedDeployment(where));
    await api.custom.deleteNamespacedCustomObject(websites);
    const gone = { code: 404 };
    await plane.eventually(() => expect(api.custom.getNamespacedCustomObject(websites)).rejects.toMatchObject(gone));
    expect(hosts.registered).toEqual(new Map());
    // The garbage collector of the control plane.
    await plane.eventually(() => expect(api.apps.readNamespacedDeployment(where)).rejects.toMatchObject(gone));
    await plane.eventually(() => expect(api.core.readNamespacedConfigMap(where)).rejects.toMatchObject(gone));
  });

  test('does not keep its namespace from being deleted', async ({ plane, api }) => {
    await plane.install([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      { ...shop(), metadata: { name: 'shop', namespace: 'team' } },
    ]);
    await plane.eventually(() => api.apps.readNamespacedDeployment({ ...where, namespace: 'team' }));
    await api.core.deleteNamespace({ name: 'team' });
    await plane.eventually(() => expect(api.core.readNamespace({ name: 'team' })).rejects.toMatchObject({ code: 404 }));
  });
});

describe('the validating webhook', () => {
  test.for([
    { hosts: ['not a host'], message: 'spec.hosts: "not a host" is not the name of a host' },
    { hosts: ['a.example.com', 'a.example.com'], message: 'spec.hosts: a host is named twice' },
  ])('refuses $hosts', async ({ hosts, message }, { api }) => {
    const created = api.custom.createNamespacedCustomObject({ ...websites, body: shop({ hosts }) });
    await expect(created).rejects.toMatchObject({
      code: 422,
      body: expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    });
  });

  test('refuses another first host', async ({ plane, api }) => {
    await plane.install(shop());
    const body = { spec: { hosts: ['other.example.com'] } };
    const patched = api.custom.patchNamespacedCustomObject({ ...websites, body }, mergePatch);
    await expect(patched).rejects.toMatchObject({ code: 422 });
  });
});

describe('clients of v1', () => {
  test('see the first host, and lose no other', async ({ plane, api }) => {
    const v1 = { ...websites, version: 'v1' };
    await plane.install(shop({ hosts: ['shop.example.com', 'www.example.com'] }));
    expect(await api.custom.getNamespacedCustomObject(v1)).toMatchObject({ spec: { host: 'shop.example.com' } });

    const body = { spec: { pages: { 'index.html': 'Closed' } } };
    await api.custom.patchNamespacedCustomObject({ ...v1, body }, mergePatch);
    expect(await api.custom.getNamespacedCustomObject(websites)).toMatchObject({
      spec: { hosts: ['shop.example.com', 'www.example.com'], pages: { 'index.html': 'Closed' } },
    });
  });
});
