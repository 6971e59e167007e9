import { expect, it } from 'vitest';
import { startControlPlane } from './start-control-plane.js';

const json = { 'content-type': 'application/json' };

it('deletes namespaces with their content, unless controllers are off', async () => {
  await using plane = await startControlPlane();
  await using bare = await startControlPlane({ controllers: [] });
  for (const { fetch } of [plane, bare]) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
    await fetch('/api/v1/namespaces', { method: 'POST', body, headers: json });
    await fetch('/api/v1/namespaces/x', { method: 'DELETE' });
  }
  await expect.poll(async () => (await plane.fetch('/api/v1/namespaces/x')).status, { timeout: 15_000 }).toBe(404);
  expect((await bare.fetch('/api/v1/namespaces/x')).status).toBe(200);
});
