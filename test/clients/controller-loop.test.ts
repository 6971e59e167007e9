import {
  ApiException,
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { customResourceDefinition } from '../harness/custom-resource-definition.ts';

const group = 'toys.example.com';
const version = 'v1';
const plural = 'widgets';
const namespace = 'default';
const where = { group, version, plural, namespace };

interface Widget extends KubernetesObject {
  readonly spec?: { readonly size: number };
  readonly status?: { readonly size: number };
}

const sized = { type: 'object', properties: { size: { type: 'integer' } } };
const definition = customResourceDefinition(
  group,
  'Widget',
  { properties: { spec: sized, status: sized } },
  { status: {} },
);

const read = ['get', 'list', 'watch'];
/** Three users, each a service account with one role. */
const users = {
  reader: [{ apiGroups: [group], resources: [plural], verbs: read }],
  author: [{ apiGroups: [group], resources: [plural], verbs: [...read, 'create', 'update', 'patch', 'delete'] }],
  operator: [
    { apiGroups: [group], resources: [plural], verbs: read },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: [...read, 'create', 'update'] },
  ],
} as const;
type UserName = keyof typeof users;

const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const codeOf = (error: unknown) => (error instanceof ApiException ? error.code : error);
const widget = (name: string, size: number) => ({
  apiVersion: `${group}/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec: { size },
});

describe('three users and a controller, written with @kubernetes/client-node', () => {
  let server: ApiServer;
  const configs = new Map<UserName, KubeConfig>();
  const configOf = (user: UserName) => configs.get(user) ?? new KubeConfig();
  const objectsAs = (user: UserName) => configOf(user).makeApiClient(CustomObjectsApi);

  beforeAll(async () => {
    server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
    const admin = new KubeConfig();
    admin.loadFromFile(server.kubeconfig);
    await admin.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition });
    for (const name of Object.keys(users) as UserName[]) configs.set(name, await makeUser(admin, name));
    const isServed = () =>
      objectsAs('reader')
        .listNamespacedCustomObject(where)
        .then(
          () => true,
          () => false,
        );
    await vi.waitFor(async () => expect(await isServed()).toBe(true), 30_000);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it.each<[UserName, number, number, number]>([
    ['reader', 200, 403, 403],
    ['author', 200, 201, 403],
    ['operator', 200, 403, 200],
  ])('%s: list %i, create %i, status %i', async (user, list, create, status) => {
    const api = objectsAs(user);
    const name = `by-${user}`;
    await objectsAs('author').createNamespacedCustomObject({ ...where, body: widget(`of-${user}`, 1) });
    const body = { status: { size: 1 } };
    expect([
      await api.listNamespacedCustomObject(where).then(() => 200, codeOf),
      await api.createNamespacedCustomObject({ ...where, body: widget(name, 1) }).then(() => 201, codeOf),
      await api
        .patchNamespacedCustomObjectStatus({ ...where, name: `of-${user}`, body }, asMerge)
        .then(() => 200, codeOf),
    ]).toEqual([list, create, status]);
  });

  it('the refusal names user, verb, resource and namespace', async () => {
    const error = await objectsAs('reader')
      .deleteNamespacedCustomObject({ ...where, name: 'x' })
      .catch((refused: unknown) => refused);
    expect(error instanceof ApiException && JSON.parse(error.body).message).toBe(
      `${plural}.${group} "x" is forbidden: User "system:serviceaccount:default:reader" cannot delete resource "${plural}" in API group "${group}" in the namespace "default"`,
    );
  });

  it('a controller loop realises the desired state, and the reader sees it', async () => {
    const author = objectsAs('author');
    const watching = await startController(configOf('operator'));
    try {
      await author.createNamespacedCustomObject({ ...where, body: widget('loop', 1) });
      const statusOf = async (name: string) => {
        const seen: Widget = await objectsAs('reader').getNamespacedCustomObject({ ...where, name });
        return seen.status?.size;
      };
      await expect.poll(() => statusOf('loop')).toBe(1);
      for (const size of [2, 3, 4]) {
        const body = { spec: { size } };
        await author.patchNamespacedCustomObject({ ...where, name: 'loop', body }, asMerge);
      }
      await expect.poll(() => statusOf('loop')).toBe(4);
      const made = await configOf('operator')
        .makeApiClient(CoreV1Api)
        .readNamespacedConfigMap({ namespace, name: 'loop' });
      expect([made.data, made.metadata?.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`)]).toEqual([
        { size: '4' },
        ['Widget/loop'],
      ]);
    } finally {
      await watching.stop();
    }
  });
});

/** A service account with a role, and a kubeconfig that shows its token. */
async function makeUser(admin: KubeConfig, name: UserName): Promise<KubeConfig> {
  const core = admin.makeApiClient(CoreV1Api);
  const rbac = admin.makeApiClient(RbacAuthorizationV1Api);
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
  const rules = users[name].map(({ apiGroups, resources, verbs }) => ({
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
  }));
  await rbac.createNamespacedRole({ namespace, body: { metadata: { name }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  await rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name }, roleRef, subjects } });
  const { status } = await core.createNamespacedServiceAccountToken({
    namespace,
    name,
    body: { spec: { audiences: [] } },
  });
  const config = new KubeConfig();
  const cluster = admin.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no cluster');
  config.loadFromClusterAndUser(cluster, { name, token: status?.token ?? '' });
  return config;
}

/** An informer with a reconciliation for each changed object, one at a time for each name. */
async function startController(config: KubeConfig): Promise<{ stop(): Promise<void> }> {
  const objects = config.makeApiClient(CustomObjectsApi);
  const core = config.makeApiClient(CoreV1Api);
  const list = () => objects.listNamespacedCustomObject(where) as Promise<KubernetesListObject<Widget>>;
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const informer = makeInformer<Widget>(config, path, list);
  const working = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const enqueue = ({ metadata }: Widget) => {
    const name = metadata?.name ?? '';
    const next = (working.get(name) ?? Promise.resolve()).then(() => {
      const current = informer.get(name, namespace);
      return current === undefined ? undefined : reconcile(current, { objects, core });
    });
    working.set(
      name,
      next.catch((error: unknown) => void failures.push(error)),
    );
  };
  informer.on('add', enqueue);
  informer.on('update', enqueue);
  await informer.start();
  return {
    stop: async () => {
      await informer.stop();
      await Promise.all(working.values());
      expect(failures).toEqual([]);
    },
  };
}

interface Clients {
  readonly objects: CustomObjectsApi;
  readonly core: CoreV1Api;
}

/** A ConfigMap as large as the widget wants, then its status. */
async function reconcile({ metadata, spec, status }: Widget, { objects, core }: Clients): Promise<void> {
  const { name = '', uid = '' } = metadata ?? {};
  const size = spec?.size ?? 0;
  if (status?.size === size) return;
  const owner = { apiVersion: `${group}/${version}`, kind: 'Widget', name, uid, controller: true };
  const body = { metadata: { name, ownerReferences: [owner] }, data: { size: String(size) } };
  const create = core.createNamespacedConfigMap({ namespace, body });
  await create.catch((error: unknown) => {
    if (codeOf(error) !== 409) throw error;
    return core.replaceNamespacedConfigMap({ namespace, name, body });
  });
  await objects.patchNamespacedCustomObjectStatus({ ...where, name, body: { status: { size } } }, asMerge);
}
