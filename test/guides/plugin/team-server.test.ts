import { expect, it } from 'vitest';
import { AdminClient } from '../../harness/admin-client.ts';
import { temporaryDirectory } from '../../harness/api-server.ts';
import { startTeamServer } from './team-server.js';

it('labels namespaces, and refuses an update without the label', async () => {
  using folder = temporaryDirectory('team-server');
  await using server = await startTeamServer(folder.path);
  using client = new AdminClient(server.kubeconfigPath ?? '');
  const created = await client.json('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'blue' },
  });
  expect(created).toMatchObject({ metadata: { labels: { team: 'core' } } });
  const update = { ...created, metadata: { name: 'blue', labels: {} } };
  expect(await client.json('PUT', '/api/v1/namespaces/blue', update)).toMatchObject({
    code: 403,
    message: 'namespaces "blue" is forbidden: a namespace must have the label "team"',
  });
});
