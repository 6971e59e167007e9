import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const lists = [
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/api/v1/namespaces',
  ...['flowschemas', 'prioritylevelconfigurations'].map(
    (resource) => `/apis/flowcontrol.apiserver.k8s.io/v1/${resource}`,
  ),
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map((resource) => `${rbac}/${resource}`),
];
/**
 * All those objects, with one text for values that differ between any two servers. Managers are ordered by time first,
 * so theirs depends on where a second begins.
 */
async function objects(server: ApiServer): Promise<readonly string[]> {
  using admin = new AdminClient(server.kubeconfig);
  const bodies = await Promise.all(lists.map(async (path) => (await admin.request('GET', path)).body));
  return bodies.flatMap((body) => {
    const text = body
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'a uid')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'a time')
      .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"one"');
    const { items }: { items: { metadata: { managedFields: { manager: string }[] } }[] } = JSON.parse(text);
    for (const { metadata } of items) metadata.managedFields.sort((a, b) => (a.manager < b.manager ? -1 : 1));
    return items.map((item) => JSON.stringify(item));
  });
}

describe('the objects of a first start', () => {
  it('is the same text as when all of it is made by requests, and each object has a uid and a version of its own', {
    timeout: 60_000,
  }, async () => {
    await using server = await startApiServer();
    // With a log line for each object, the server makes them by requests.
    await using detailed = await startApiServer({ args: ['-v=2'] });
    // Aggregated roles are filled after readiness, upstream by another program.
    await expect.poll(() => objects(detailed)).toEqual(await objects(server));
    const { stderr } = await detailed.stop();
    expect(stderr).toContain('created clusterrole.rbac.authorization.k8s.io/cluster-admin');
    using admin = new AdminClient(server.kubeconfig);
    const { items } = await admin.json('GET', `${rbac}/clusterroles`);
    expect(Array.isArray(items) && new Set(items.map(({ metadata }) => metadata.uid)).size).toBe(69);
    expect(Array.isArray(items) && new Set(items.map(({ metadata }) => metadata.resourceVersion)).size).toBe(69);
    expect((await server.stop()).stderr).not.toContain('cluster-admin');
  });

  it('is made by requests where the flags change how it is made or stored', async () => {
    await using server = await startApiServer({ args: ['--runtime-config=batch/v1=false'] });
    using admin = new AdminClient(server.kubeconfig);
    expect((await admin.request('GET', `${lists[0]}/v1.batch`)).status).toBe(404);
    expect((await admin.request('GET', `${lists[0]}/v1.apps`)).status).toBe(200);
  });
});
