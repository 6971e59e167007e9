import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { newAlreadyExists, newConflict, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from '../bootstrap-policy/bootstrap-policy.js';
import {
  MemoryLoopbackClient,
  testClusterRole,
  testClusterRoleBinding,
  testLogger,
  testRule,
} from '../testing/index.js';
import { bootstrapRolesHook } from './bootstrap-roles-hook.js';

const policy = bootstrapPolicy();
const expectedCount =
  policy.clusterRoles.length + policy.clusterRoleBindings.length + policy.roles.length + policy.roleBindings.length;

/** A clock whose timers fire at once. */
function fastClock(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  let now = 0;
  return {
    pauses,
    now: () => now,
    schedule(callback, milliseconds) {
      pauses.push(milliseconds);
      now += milliseconds;
      queueMicrotask(callback);
      return () => {};
    },
  };
}

function setUp(verbosity = 0) {
  const client = new MemoryLoopbackClient();
  const clock = fastClock();
  const logger = testLogger(verbosity);
  const hook = bootstrapRolesHook({ clock, logger });
  const run = (signal = new AbortController().signal) => hook.run({ loopbackClient: client, signal });
  return { client, clock, logger, hook, run };
}

function put(client: MemoryLoopbackClient, object: KubeObject, resource: string): void {
  const { namespace = '', name = '' } = object.metadata;
  const metadata = { uid: `old-${name}`, resourceVersion: '1', ...object.metadata };
  client.objects.set(`${resource} ${namespace}/${name}`, { ...object, metadata });
}

const ROLE = 'clusterroles /system:kube-dns';
const BINDING = 'clusterrolebindings /system:kube-dns';

describe('bootstrapRolesHook', () => {
  it('creates the policy and its namespaces, and logs it', async () => {
    const { client, hook, run, logger } = setUp(2);
    await run();
    expect(hook.name).toBe('rbac/bootstrap-roles');
    const namespaces = ['create namespaces /kube-public', 'create namespaces /kube-system'];
    const made = client.made('create');
    expect(made.filter((call) => !call.startsWith('create namespaces'))).toHaveLength(expectedCount);
    expect([...new Set(made.filter((call) => call.startsWith('create namespaces')))].sort()).toEqual(namespaces);
    expect(client.objects.get(ROLE)).toMatchObject({
      rules: [{ apiGroups: [''], resources: ['endpoints', 'services'], verbs: ['list', 'watch'] }],
    });
    expect(logger.lines).toContain('created clusterrole.rbac.authorization.k8s.io/system:kube-dns');
    expect(logger.lines).toContain(
      'created role.rbac.authorization.k8s.io/system:controller:token-cleaner in kube-system',
    );
  });

  it('needs six lists if the policy is complete, and logs nothing then', async () => {
    const { client, run, logger } = setUp(2);
    await run();
    client.calls.length = 0;
    logger.lines.length = 0;
    await run();
    expect(logger.lines).toEqual([]);
    expect(client.calls.sort()).toEqual([
      'list clusterrolebindings /',
      'list clusterroles /',
      'list rolebindings kube-public/',
      'list rolebindings kube-system/',
      'list roles kube-public/',
      'list roles kube-system/',
    ]);
  });

  it('adds missing parts, keeps additions, and skips protected objects', async () => {
    const { client, run, logger } = setUp(2);
    const extra = testRule('get', [''], 'secrets');
    put(client, testClusterRole('system:kube-dns', [extra]), 'clusterroles');
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    put(
      client,
      testClusterRole('system:heapster', [], { metadata: { name: 'system:heapster', annotations } }),
      'clusterroles',
    );
    put(client, testClusterRoleBinding('system:kube-dns', 'system:kube-dns', 'User bob'), 'clusterrolebindings');
    await run();
    const parts = ['endpoints', 'services'].flatMap((resource) =>
      ['list', 'watch'].map((verb) => ({ verbs: [verb], apiGroups: [''], resources: [resource] })),
    );
    expect(client.objects.get(ROLE)).toMatchObject({
      rules: [extra, ...parts],
      metadata: { uid: 'old-system:kube-dns' },
    });
    expect(client.objects.get(BINDING)).toMatchObject({ subjects: [{ name: 'bob' }, { name: 'kube-dns' }] });
    expect(client.made('update').sort()).toEqual([`update ${BINDING}`, `update ${ROLE}`]);
    const [warning] = logger.lines.filter((line) => line.startsWith('warning'));
    expect(warning).toBe(
      'warning: skipped reconcile-protected clusterrole.rbac.authorization.k8s.io/system:heapster with missing permissions',
    );
    const updated = [...logger.lines.entries()].filter(([, line]) => line.startsWith('updated'));
    const rbac = 'rbac.authorization.k8s.io/system:kube-dns';
    const account = { kind: 'ServiceAccount', name: 'kube-dns', namespace: 'kube-system' };
    expect(updated.map(([index, line]) => [line, logger.fields[index]]).sort()).toEqual([
      [`updated clusterrole.${rbac} with additional permissions`, { permissions: parts }],
      [`updated clusterrolebinding.${rbac} with additional subjects`, { subjects: [account] }],
    ]);
    expect(logger.fields[logger.lines.indexOf(warning ?? '')]?.['permissions']).toHaveLength(15);
  });

  it('recreates a binding with another role', async () => {
    const { client, run, logger } = setUp(2);
    put(client, testClusterRoleBinding('system:kube-dns', 'cluster-admin', 'User bob'), 'clusterrolebindings');
    await run();
    expect(client.made('delete')).toEqual([`delete ${BINDING}`]);
    expect(logger.lines).toContain('recreated clusterrolebinding.rbac.authorization.k8s.io/system:kube-dns');
    expect(client.objects.get(BINDING)).toMatchObject({
      roleRef: { name: 'system:kube-dns' },
      subjects: [{ name: 'kube-dns' }],
    });
  });

  it('keeps rules and subjects of renamed roles and split bindings', async () => {
    const { client, run } = setUp();
    const custom = testRule('get', ['custom'], 'things');
    put(client, testClusterRole('edit', [custom]), 'clusterroles');
    put(client, testClusterRoleBinding('system:discovery', 'system:discovery', 'User bob'), 'clusterrolebindings');
    await run();
    expect(client.objects.get('clusterroles /system:aggregate-to-edit')?.['rules']).toContainEqual(custom);
    const viewers = client.objects.get('clusterrolebindings /system:public-info-viewer');
    expect(viewers).toMatchObject({
      roleRef: { name: 'system:public-info-viewer' },
      subjects: [{ name: 'bob' }, { name: 'system:authenticated' }, { name: 'system:unauthenticated' }],
    });
  });

  it('tries again if a split binding cannot be created, but not if another server was first', async () => {
    const { client, run, clock } = setUp();
    put(client, testClusterRoleBinding('system:discovery', 'system:discovery', 'User bob'), 'clusterrolebindings');
    const viewers = 'clusterrolebindings /system:public-info-viewer';
    const errors = [
      newServiceUnavailable('no'),
      newAlreadyExists({ group: '', resource: 'clusterrolebindings' }, 'system:public-info-viewer'),
    ];
    client.before = (call) => {
      const error = call === `create ${viewers}` ? errors.shift() : undefined;
      if (error !== undefined) throw error;
    };
    await run();
    expect([client.made('create').filter((call) => call === `create ${viewers}`).length, clock.pauses]).toEqual([
      3,
      [1000],
    ]);
  });

  it('reads again after a conflict or a concurrent creation or deletion', async () => {
    const { client, run, clock } = setUp();
    put(client, testClusterRole('system:kube-dns', []), 'clusterroles');
    const once = new Map<string, () => void>([
      [
        `update ${ROLE}`,
        () => {
          throw newConflict({ group: '', resource: 'clusterroles' }, 'system:kube-dns', 'changed');
        },
      ],
      [
        `create ${BINDING}`,
        () => put(client, testClusterRoleBinding('system:kube-dns', 'system:kube-dns'), 'clusterrolebindings'),
      ],
    ]);
    client.before = (call) => {
      const act = once.get(call);
      once.delete(call);
      act?.();
    };
    await run();
    expect(
      client
        .made('get')
        .filter((call) => !call.includes('namespaces'))
        .sort(),
    ).toEqual([`get ${BINDING}`, `get ${ROLE}`]);
    expect(client.made('update').sort()).toEqual([`update ${BINDING}`, `update ${ROLE}`, `update ${ROLE}`]);
    expect(clock.pauses).toEqual([10]);
  });

  it('logs an object that cannot be written, continues, and tries it again every second; gives up after 30', async () => {
    const { client, run, logger, clock } = setUp();
    let failures = 2;
    client.before = (call) => {
      if (call !== `create ${ROLE}`) return;
      expect(failures === 2 || client.objects.has(BINDING)).toBe(true);
      if (failures-- > 0) throw newServiceUnavailable('no');
    };
    await run();
    const line = 'error: unable to reconcile clusterrole.rbac.authorization.k8s.io/system:kube-dns: StatusError: no';
    expect([logger.lines, clock.pauses, client.objects.has(ROLE)]).toEqual([[line, line], [1000, 1000], true]);
    failures = Number.POSITIVE_INFINITY;
    client.objects.delete(ROLE);
    await expect(run()).rejects.toThrow('unable to initialize roles: timed out waiting for the condition');
    expect(clock.pauses).toHaveLength(32);
  });

  it('retries every second while the server cannot be read; gives up after 30', async () => {
    const { client, run, clock, logger } = setUp();
    let failures = 2;
    client.before = (call) => {
      if (call === 'list clusterroles /' && failures-- > 0) throw newServiceUnavailable('not yet');
    };
    await run();
    expect(clock.pauses).toEqual([1000, 1000]);
    const line = 'error: unable to initialize clusterroles: StatusError: not yet';
    expect(logger.lines).toEqual([line, line]);
    failures = Number.POSITIVE_INFINITY;
    await expect(run()).rejects.toThrow('unable to initialize roles: timed out waiting for the condition');
    expect(clock.pauses).toHaveLength(32);
  });

  it('ends without an error when the server stops', async () => {
    const { client, run, logger } = setUp();
    const stop = new AbortController();
    client.before = () => {
      stop.abort();
      throw newServiceUnavailable('stopping');
    };
    await run(stop.signal);
    expect(logger.lines).toEqual([]);
  });

  it('reads nothing for a server that has stopped', async () => {
    const { client, run } = setUp();
    await run(AbortSignal.abort());
    expect(client.calls).toEqual([]);
  });

  it('does not log writes that fail because the server stops', async () => {
    const { client, run, logger } = setUp();
    const stop = new AbortController();
    client.before = (call) => {
      if (!call.startsWith('create')) return;
      stop.abort();
      throw newServiceUnavailable('stopping');
    };
    await run(stop.signal);
    expect([client.made('create').length > 0, logger.lines]).toEqual([true, []]);
  });

  it.each<[string, number]>([
    [ROLE, 3],
    [BINDING, 4],
    ['roles kube-system/system:controller:token-cleaner', 3],
    ['rolebindings kube-system/system:controller:token-cleaner', 4],
  ])('gives up an object for a second that others create and delete all the time: %s', async (key, tries) => {
    const { client, run, logger } = setUp();
    client.before = (call) => {
      const isFirstRound = logger.lines.length === 0;
      if (call === `create ${key}` && isFirstRound) throw newAlreadyExists({ group: '', resource: '' }, key);
    };
    await run();
    const secondRound = 1;
    expect(client.calls.filter((call) => call === `create ${key}`)).toHaveLength(tries + secondRound);
    expect(logger.lines).toMatchObject([
      expect.stringMatching(/^error: unable to reconcile .*exceeded maximum attempts$/),
    ]);
  });

  it('creates the policy of its feature gates, or the policy that it gets', async () => {
    const { client, clock, logger } = setUp();
    const { signal } = new AbortController();
    const options = { clock, logger };
    const context = { loopbackClient: client, signal };
    await bootstrapRolesHook({ ...options, features: { clusterTrustBundle: true } }).run(context);
    expect(client.objects.has('clusterroles /system:cluster-trust-bundle-discovery')).toBe(true);
    const own = { ...bootstrapPolicy(), clusterRoles: [testClusterRole('own', [])], clusterRoleBindings: [] };
    client.objects.clear();
    await bootstrapRolesHook({ ...options, policy: own }).run(context);
    expect([...client.objects.keys()].filter((key) => key.startsWith('cluster'))).toEqual(['clusterroles /own']);
  });
});
