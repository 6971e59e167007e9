import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSnapshot } from '@apiserver/test-powers';
import { expect, it } from 'vitest';
import type { ControlPlane } from '../control-plane.js';
import { TemporaryFolder } from '../powers/temporary-folder.js';
import { startControlPlane } from '../start/start-control-plane.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function send(plane: ControlPlane, method: string, path: string, body?: unknown): Promise<Response> {
  const request = { method, headers: { 'content-type': 'application/json' } };
  return await plane.fetch(path, body === undefined ? request : { ...request, body: JSON.stringify(body) });
}

async function put(plane: ControlPlane, name: string, value: string): Promise<Response> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
  const updated = await send(plane, 'PUT', `${CONFIG_MAPS}/${name}`, object);
  return updated.status === 404 ? await send(plane, 'POST', CONFIG_MAPS, object) : updated;
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly data?: { readonly value?: string };
  }[];
}

async function read(response: Response | Promise<Response>): Promise<Listed> {
  return JSON.parse(await (await response).text());
}

async function values(plane: ControlPlane): Promise<Record<string, string>> {
  const { items } = await read(plane.fetch(CONFIG_MAPS));
  return Object.fromEntries(items.flatMap(({ metadata, data }) => (data?.value ? [[metadata.name, data.value]] : [])));
}

function definition(plural: string, shortNames: readonly string[] = []) {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, shortNames },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

/** Creates a definition, and waits until it is served. */
async function define(plane: ControlPlane, plural: string): Promise<void> {
  expect((await send(plane, 'POST', DEFINITIONS, definition(plural))).status).toBe(201);
  await expect.poll(async () => (await plane.fetch(`/apis/example.com/v1/${plural}`)).status).toBe(200);
}

it('restores objects with their versions, and ends watches of clients with 410', async () => {
  await using plane = await startControlPlane();
  // Controllers create it once, after the start.
  await expect.poll(async () => (await plane.fetch(`${CONFIG_MAPS}/kube-root-ca.crt`)).status).toBe(200);
  await put(plane, 'a', '1');
  await put(plane, 'b', '1');
  const before = await read(plane.fetch(CONFIG_MAPS));
  const prepared = plane.snapshot();
  expect(Number(prepared.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
  await put(plane, 'a', '2');
  await send(plane, 'DELETE', `${CONFIG_MAPS}/b`);
  const { resourceVersion } = (await read(put(plane, 'c', '1'))).metadata;
  const running = await plane.fetch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
  const seen = running.text();
  await plane.restore(prepared);
  const after = await read(plane.fetch(CONFIG_MAPS));
  expect(after.items).toEqual(before.items);
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  expect(JSON.parse(await seen)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  const late = await plane.fetch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
  expect(JSON.parse(await late.text())).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  const renewed = await read(put(plane, 'a', '3'));
  expect(Number(renewed.metadata.resourceVersion)).toBeGreaterThan(Number(after.metadata.resourceVersion));
});

it('restores what the server keeps above its store: definitions, rules, allocations and namespaces', async () => {
  await using plane = await startControlPlane();
  await define(plane, 'widgets');
  const prepared = plane.snapshot();
  await define(plane, 'gadgets');
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'NodePort', clusterIP: '10.0.0.77', ports: [{ port: 80, nodePort: 30077 }] },
  };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' } };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'readers' },
    subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'ClusterRole', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
  };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { 'count/configmaps': '0' } },
    status: { hard: { 'count/configmaps': '0' }, used: { 'count/configmaps': '0' } },
  };
  const asAlice = { headers: { 'impersonate-user': 'alice' } };
  const change = async (): Promise<readonly number[]> => [
    (await send(plane, 'POST', '/api/v1/namespaces/default/services', service)).status,
    (await send(plane, 'POST', '/apis/example.com/v1/namespaces/default/widgets', widget)).status,
    (await send(plane, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { ...role, rules })).status,
    (await send(plane, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)).status,
    (await send(plane, 'POST', '/api/v1/namespaces', { metadata: { name: 'later' } })).status,
    (await send(plane, 'POST', '/api/v1/namespaces/later/resourcequotas', quota)).status,
  ];
  const state = async (): Promise<readonly number[]> => [
    (await plane.fetch('/apis/example.com/v1/gadgets')).status,
    (await plane.fetch('/apis/example.com/v1/widgets')).status,
    (await plane.fetch('/api/v1/configmaps', asAlice)).status,
    (await send(plane, 'POST', '/api/v1/namespaces/later/configmaps', { metadata: { generateName: 'x' } })).status,
  ];
  expect(await change()).toEqual([201, 201, 201, 201, 201, 201]);
  expect((await state()).slice(0, 3)).toEqual([200, 200, 200]);
  const changed = plane.snapshot();
  await plane.restore(prepared);
  // In the turn of the restore, without a pause.
  expect(await state()).toEqual([404, 200, 403, 404]);
  // The addresses, ports and names are free again.
  expect(await change()).toEqual([201, 201, 201, 201, 201, 201]);
  await plane.restore(prepared);
  await plane.restore(changed);
  expect((await state()).slice(0, 3)).toEqual([200, 200, 200]);
  expect((await change()).slice(0, 5)).toEqual([422, 409, 409, 409, 409]);
});

it('frees the names of definitions that were accepted after the snapshot', async () => {
  await using plane = await startControlPlane();
  await define(plane, 'widgets');
  const prepared = plane.snapshot();
  const { spec } = definition('widgets', ['wd']);
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } };
  await plane.fetch(`${DEFINITIONS}/widgets.example.com`, { ...patch, body: JSON.stringify({ spec }) });
  const accepted = async (name: string): Promise<unknown> =>
    (await (await plane.fetch(`${DEFINITIONS}/${name}.example.com`)).text()).match(/"acceptedNames":\{[^}]*\}/)?.[0];
  await expect.poll(() => accepted('widgets')).toContain('"shortNames":["wd"]');
  await plane.restore(prepared);
  await send(plane, 'POST', DEFINITIONS, definition('gadgets', ['wd']));
  await expect.poll(() => accepted('gadgets')).toContain('"shortNames":["wd"]');
});

it('leaves the policy of a fork as the test has changed it', async () => {
  await using plane = await startControlPlane();
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/view';
  await (await send(plane, 'DELETE', role)).text();
  await using fork = await plane.fork();
  await using other = await startControlPlane();
  expect([(await fork.fetch(role)).status, (await other.fetch(role)).status]).toEqual([404, 200]);
  // A snapshot may come from another build: its policy is reconciled.
  await using restarted = await startControlPlane({ from: plane.snapshot() });
  expect((await restarted.fetch(role)).status).toBe(200);
});

it('forks a plane with its definitions; neither sees what the other does', async () => {
  await using plane = await startControlPlane();
  await define(plane, 'widgets');
  await put(plane, 'a', '1');
  const alice = plane.user('alice', { groups: ['system:masters'], by: 'token' });
  await using other = await plane.fork();
  // Users of the first plane are those of the second.
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
  const review = { ...kind, spec: { token: alice.token } };
  const reviewed = await send(other, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
  expect(await reviewed.json()).toMatchObject({ status: { authenticated: true, user: { username: 'alice' } } });
  expect((await other.fetch('/apis/example.com/v1/widgets')).status).toBe(200);
  await put(other, 'a', 'other');
  await put(plane, 'b', 'plane');
  expect([await values(plane), await values(other)]).toEqual([{ a: '1', b: 'plane' }, { a: 'other' }]);
  expect(other.url).not.toBe(plane.url);
  await plane.stop();
  expect(await values(other)).toEqual({ a: 'other' });
  expect(() => plane.snapshot()).toThrow('the control plane has ended');
});

it('writes a snapshot to a file, and starts or restores planes from it', async () => {
  using folder = new TemporaryFolder();
  const file = join(folder.path, 'prepared.snapshot');
  await using plane = await startControlPlane();
  await define(plane, 'widgets');
  await put(plane, 'a', '1');
  const prepared = plane.snapshot();
  await put(plane, 'a', '2');
  await prepared.save(file);
  const again = await readSnapshot(file);
  expect([...again.store.entries()]).toEqual(
    [...prepared.store.entries()].map((entry) => ({ ...entry, value: Buffer.from(entry.value) })),
  );
  await using other = await startControlPlane({ from: again });
  await plane.restore(again);
  for (const each of [plane, other]) {
    expect([await values(each), (await each.fetch('/apis/example.com/v1/widgets')).status]).toEqual([{ a: '1' }, 200]);
  }
});

it('refuses files of another minor, damaged ones, and others', async () => {
  using folder = new TemporaryFolder();
  const file = join(folder.path, 'prepared.snapshot');
  await using plane = await startControlPlane();
  await plane.snapshot().save(file);
  const bytes = readFileSync(file);
  const broken = (change: (bytes: Buffer) => Buffer) => {
    const path = join(folder.path, 'broken.snapshot');
    writeFileSync(path, change(Buffer.from(bytes)));
    return readSnapshot(path);
  };
  const flipped = (copy: Buffer) => {
    copy.writeUInt8(copy.readUInt8(5000) ^ 1, 5000);
    return copy;
  };
  await expect(broken(flipped)).rejects.toThrow('broken.snapshot is damaged or was cut off: its checksum does not fit');
  await expect(broken((copy) => copy.subarray(0, 9000))).rejects.toThrow('is damaged or was cut off');
  await expect(broken(() => Buffer.from('kind: Pod'))).rejects.toThrow('is not a backup of kube-apiserver');
  await expect(readSnapshot(join(folder.path, 'none'))).rejects.toMatchObject({ name: 'ControlPlaneError' });
  const { writeSnapshot } = await import('@apiserver/registry-store/backup');
  await writeSnapshot(plane.snapshot().store, { file, version: 'v1.35.3' });
  await expect(readSnapshot(file)).rejects.toThrow(
    /prepared\.snapshot is a snapshot of v1\.35\.3; this version, v1\.36\.\d+, reads those of v1\.36$/,
  );
});

/** Refuses every creation of a ConfigMap: nobody listens there. */
const refusing = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'refusing' },
  webhooks: [
    {
      name: 'refusing.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

it('calls the first webhook of a plane from the creation of its configuration on, or its restore', async () => {
  await using plane = await startControlPlane();
  await using other = await startControlPlane();
  const created = async (to: ControlPlane, name: string) => (await put(to, name, 'x')).status;
  // The plugins have begun to follow the configurations.
  expect([await created(plane, 'before'), await created(other, 'before')]).toEqual([201, 201]);
  expect((await send(plane, 'POST', CONFIGURATIONS, refusing)).status).toBe(201);
  expect(await created(plane, 'after')).toBe(500);
  await other.restore(plane.snapshot());
  expect(await created(other, 'after')).toBe(500);
});
