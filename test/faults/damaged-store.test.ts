import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const folder = temporaryDirectory('damaged-store');
/** A data folder whose ConfigMap "torn" is damaged inside its value. */
const damaged = join(folder.path, 'damaged');
const marker = 'bytes-that-a-disk-forgets';

beforeAll(async () => {
  await using server = await startApiServer({ dataDirectory: damaged });
  using client = new AdminClient(server.kubeconfig);
  for (const name of ['before', 'torn', 'without']) {
    const made = await client.request('POST', configMaps, {
      metadata: { name },
      data: { [name]: name === 'torn' ? marker.repeat(400) : name },
    });
    expect(made.status).toBe(201);
  }
  await server.stop();
  const path = join(damaged, 'db/data.mdb');
  const data = readFileSync(path);
  const at = data.indexOf(marker.repeat(100));
  expect(at).toBeGreaterThan(0);
  // Bytes like those of another file's page: quotes and braces that make no JSON.
  data.fill('"}', at + 500, at + 600);
  writeFileSync(path, data);
});
afterAll(() => folder[Symbol.dispose]());

function copy(name: string): string {
  const path = join(folder.path, name);
  cpSync(damaged, path, { recursive: true });
  return path;
}

const KEY = '/registry/configmaps/default/torn';

describe('an object whose bytes on the disk are damaged', () => {
  it('is named by reads, and others are served', async () => {
    await using server = await startApiServer({ dataDirectory: copy('served') });
    using client = new AdminClient(server.kubeconfig);
    for (const path of [configMaps, '/api/v1/configmaps', `${configMaps}/torn`, `${configMaps}?limit=500`]) {
      const { status, body } = await client.request('GET', path);
      expect([path, status, JSON.parse(body)]).toEqual([
        path,
        500,
        expect.objectContaining({
          reason: 'InternalError',
          message: expect.stringMatching(
            `^Internal error occurred: StorageError: corrupt object, Code: 7, Key: ${KEY}, .* does not match its checksum$`,
          ),
        }),
      ]);
    }
    for (const name of ['before', 'without']) {
      expect(await client.json('GET', `${configMaps}/${name}`)).toMatchObject({ data: { [name]: name } });
    }
    expect((await client.json('GET', '/api/v1/namespaces/kube-system/configmaps'))['kind']).toBe('ConfigMapList');
    const made = await client.request('POST', configMaps, { metadata: { name: 'new' } });
    expect([made.status, (await client.request('GET', '/readyz')).status]).toEqual([201, 200]);
    // Without the feature gate the server ignores this option of a delete.
    const option = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await client.request('DELETE', `${configMaps}/torn`, option)).status).toBe(500);
  });

  it('can be deleted by an administrator', async () => {
    const args = ['--feature-gates=AllowUnsafeMalformedObjectDeletion=true', '--authorization-mode=RBAC'];
    await using server = await startApiServer({ dataDirectory: copy('deleted'), args });
    using client = new AdminClient(server.kubeconfig);
    expect(await client.json('GET', configMaps)).toMatchObject({
      message: 'failed to read one or more configmaps from the storage',
      reason: 'StoreReadError',
      code: 500,
      details: { name: 'list', kind: 'configmaps', causes: [{ reason: 'UnexpectedServerResponse', field: KEY }] },
    });
    const option = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    const remove = (path: string, headers?: Record<string, string>) => client.request('DELETE', path, option, headers);
    expect((await remove(configMaps)).status).toBe(422);
    expect((await remove(`${configMaps}/before`)).status).toBe(422);
    const may = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'deleter' } };
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] }];
    await client.request('POST', `${roles}/roles`, { ...may, kind: 'Role', rules });
    await client.request('POST', `${roles}/rolebindings`, {
      ...may,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deleter' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'somebody' }],
    });
    const somebody = { 'impersonate-user': 'somebody' };
    const may404 = async () => (await client.request('DELETE', `${configMaps}/none`, undefined, somebody)).status;
    await expect.poll(may404).toBe(404);
    const forbidden = await remove(`${configMaps}/torn`, somebody);
    expect([forbidden.status, JSON.parse(forbidden.body).message]).toEqual([
      403,
      'configmaps "torn" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: ',
    ]);
    const deleted = await remove(`${configMaps}/torn`);
    expect([deleted.status, JSON.parse(deleted.body)]).toEqual([
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        code: 200,
        details: { name: 'torn', kind: 'ConfigMap' },
      },
    ]);
    const listed = async () => {
      const { items = [] } = JSON.parse((await client.request('GET', configMaps)).body);
      return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };
    await expect.poll(listed).toEqual(expect.arrayContaining(['before', 'without']));
  });

  it('is found by a check, and left out of a backup with --skip-damaged', async () => {
    const directory = copy('checked');
    const check = await runBinary(['check', directory]);
    expect([check.code, check.stdout.split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(`^${KEY} at revision \\d+: it does not match its checksum, or is no JSON$`),
        expect.stringMatching(/^.*\/checked\/db: \d+ objects at revision \d+, damaged: 1$/),
        '',
      ],
    ]);
    const file = join(folder.path, 'backup');
    const from = `--data-dir=${directory}`;
    const refused = await runBinary(['backup', file, from]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('"kube-apiserver check" names what is'),
    ]);
    expect((await runBinary(['backup', file, from, '--skip-damaged'])).stdout).toMatch(
      /, without 1 that are damaged\n$/,
    );
    const restored = join(folder.path, 'restored');
    expect((await runBinary(['restore', file, `--data-dir=${restored}`])).code).toBe(0);
    expect((await runBinary(['check', restored])).stdout).toMatch(/nothing is damaged\n$/);
  });

  it('is not looked for where there is no store, or a server has it', async () => {
    const none = await runBinary(['check', join(folder.path, 'none')]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no store in')]);
    await using server = await startApiServer({ dataDirectory: copy('used') });
    const used = await runBinary(['check', server.dataDirectory]);
    expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('is in use by another process')]);
  });

  it('is an object under another name where its key is damaged', async () => {
    const directory = copy('renamed');
    const path = join(directory, 'db/data.mdb');
    const data = readFileSync(path);
    // A key of the index, in all the pages that have had it.
    const key = Buffer.from('\x20/registry/configmaps/default/before');
    for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + 1)) data.write('u', at + key.length - 1);
    writeFileSync(path, data);
    const { code, stdout } = await runBinary(['check', directory]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/default\/beforu at revision \d+: its value is missing/)]);
    expect(stdout).toMatch(/default\/before at revision \d+: its index record is missing/);
    await using server = await startApiServer({ dataDirectory: directory });
    using client = new AdminClient(server.kubeconfig);
    const reported = async (at: string) => {
      const { status, body } = await client.request('GET', at);
      return [status, JSON.parse(body).message];
    };
    const missing = expect.stringMatching(/default\/beforu at revision \d+ is damaged: its value is missing$/);
    expect([await reported(configMaps), await reported(`${configMaps}/beforu`)]).toEqual([
      [500, missing],
      [500, missing],
    ]);
    expect(await reported(`${configMaps}/before`)).toEqual([404, 'configmaps "before" not found']);
    expect((await client.request('GET', `${configMaps}/without`)).status).toBe(200);
  });

  it('is one of many faults where pages are wiped', async () => {
    const directory = copy('wiped');
    const path = join(directory, 'db/data.mdb');
    const data = readFileSync(path);
    // Older copies of a leaf lie in pages that are free by now: all that name the object are wiped.
    const name = '/registry/namespaces/default';
    for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) {
      data.fill(0, at - (at % 4096), at - (at % 4096) + 24);
    }
    writeFileSync(path, data);
    const { code, stdout } = await runBinary(['check', directory]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/page \d+ is not what it is named as/)]);
    expect(stdout.split('\n').length).toBeGreaterThan(3);
  });
});
