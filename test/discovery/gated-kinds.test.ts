import { describe, expect, it } from 'vitest';
import { assembledServer } from '../guards/assembled-server.ts';
import { object } from '../guards/objects.ts';

const ALPHA = 'resource.k8s.io/v1alpha3';
const BETA = 'resource.k8s.io/v1beta2';
const INTERNAL = 'internal.apiserver.k8s.io/v1alpha1';
const MIGRATION = 'storagemigration.k8s.io/v1beta1';
const at = (groupVersion: string, ...rest: string[]) => ['/apis', groupVersion, ...rest].join('/');

describe('a server with the alpha and beta kinds', () => {
  const versions = [ALPHA, BETA, INTERNAL, MIGRATION].map((version) => `${version}=true`).join();
  const server = assembledServer(`--runtime-config=${versions}`, '--feature-gates=StorageVersionMigrator=true');

  it('serves a rule in both versions', async () => {
    const taint = { key: 'example.com/a', effect: 'NoSchedule' };
    const status = { conditions: [] };
    const made = await server.ask(
      'POST',
      at(BETA, 'devicetaintrules'),
      object(BETA, 'DeviceTaintRule', 'a', { spec: { taint }, status }),
    );
    expect(made).toMatchObject({
      code: 201,
      body: {
        apiVersion: BETA,
        metadata: { generation: 1 },
        spec: { taint: { ...taint, timeAdded: expect.any(String) } },
      },
    });
    const patch = { status: { conditions: null }, spec: { taint: { effect: 'NoExecute' } } };
    const item = at(ALPHA, 'devicetaintrules', 'a');
    const patched = await server.ask('PATCH', item, patch);
    expect(patched).toMatchObject({
      code: 200,
      body: { apiVersion: ALPHA, metadata: { generation: 2 }, spec: { taint: { effect: 'NoExecute' } } },
    });
    expect(await server.ask('DELETE', at(BETA, 'devicetaintrules', 'a'))).toMatchObject({
      code: 200,
      body: { kind: 'DeviceTaintRule', apiVersion: BETA },
    });
  });

  it('answers a question about pools once', async () => {
    const path = at(ALPHA, 'resourcepoolstatusrequests');
    const asked = object(ALPHA, 'ResourcePoolStatusRequest', 'a', {
      spec: { driver: 'd.example.com' },
      status: { poolCount: 7 },
    });
    const { code, body } = await server.ask('POST', path, asked);
    expect([code, body.spec, body.status]).toEqual([201, { driver: 'd.example.com', limit: 100 }, undefined]);
    const answer = { ...body, status: { poolCount: 0 } };
    const answered = await server.ask('PUT', `${path}/a/status`, answer);
    expect([answered.code, answered.body.status]).toEqual([200, { poolCount: 0 }]);
    const again = await server.ask('PUT', `${path}/a/status`, { ...answered.body, status: { poolCount: 1 } });
    expect([again.code, again.body.message]).toEqual([
      422,
      'ResourcePoolStatusRequest.resource.k8s.io "a" is invalid: status: Invalid value: {"PoolCount":1,"Pools":null,"Conditions":null}: field is immutable',
    ]);
  });

  it('records the versions of a server in the status only', async () => {
    const path = at(INTERNAL, 'storageversions');
    const { body } = await server.ask(
      'POST',
      path,
      object(INTERNAL, 'StorageVersion', 'apps.deployments', { spec: {} }),
    );
    const versions = [{ apiServerID: 'a', encodingVersion: 'apps/v1', decodableVersions: ['apps/v1'] }];
    const status = { storageVersions: versions, commonEncodingVersion: 'apps/v1' };
    const put = await server.ask('PUT', `${path}/apps.deployments/status`, { ...body, status });
    expect([put.code, put.body.status]).toEqual([200, status]);
    const main = await server.ask('PUT', `${path}/apps.deployments`, { ...put.body, status: {} });
    expect([main.code, main.body.status]).toEqual([200, status]);
  });

  it('migrates a resource that stays the same', async () => {
    const path = at(MIGRATION, 'storageversionmigrations');
    const spec = { resource: { group: 'apps', resource: 'deployments' } };
    const { body } = await server.ask('POST', path, object(MIGRATION, 'StorageVersionMigration', 'a', { spec }));
    const changed = { ...body, spec: { resource: { group: 'apps', resource: 'daemonsets' } } };
    expect(await server.ask('PUT', `${path}/a`, changed)).toMatchObject({
      code: 422,
      body: {
        message:
          'StorageVersionMigration.storagemigration.k8s.io "a" is invalid: spec: Invalid value: {"Resource":{"group":"apps","resource":"daemonsets"}}: field is immutable',
      },
    });
    expect(await server.ask('DELETE', `${path}/a`)).toMatchObject({ code: 200, body: { kind: 'Status' } });
  });
});

describe('a server with default flags', () => {
  const server = assembledServer();

  it.each([ALPHA, INTERNAL, MIGRATION])('has no %s', async (groupVersion) => {
    expect((await server.ask('GET', at(groupVersion))).code).toBe(404);
  });

  it.each([INTERNAL, MIGRATION])('has no group of %s', async (groupVersion) => {
    const [group = ''] = groupVersion.split('/');
    expect((await server.ask('GET', at(group))).code).toBe(404);
  });
});
