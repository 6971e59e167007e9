import { expect, it } from 'vitest';
import { discoverResources } from './discover-resources.js';

const resource = (name: string, kind: string, scope = 'Namespaced') => ({
  resource: name,
  responseKind: { kind },
  scope,
  verbs: ['list', 'delete'],
});

it('takes each resource in the first version that has it, and names versions that are unknown', async () => {
  const read = async (path: string) =>
    path === '/api'
      ? { items: [{ metadata: {}, versions: [{ version: 'v1', resources: [resource('nodes', 'Node', 'Cluster')] }] }] }
      : {
          items: [
            {
              metadata: { name: 'example.com' },
              versions: [
                { version: 'v2', freshness: 'Current', resources: [resource('a', 'A')] },
                { version: 'v1', freshness: 'Current', resources: [resource('a', 'A'), resource('b', 'B')] },
              ],
            },
            {
              metadata: { name: 'gone.io' },
              versions: [{ version: 'v1', freshness: 'Stale', resources: [resource('c', 'C')] }],
            },
          ],
        };
  const { resources, unknown } = await discoverResources(read)();
  expect(resources.map(({ verbs, ...one }) => [...Object.values(one), verbs.has('delete')])).toEqual([
    ['', 'v1', 'nodes', 'Node', false, true],
    ['example.com', 'v2', 'a', 'A', true, true],
    ['example.com', 'v1', 'b', 'B', true, true],
  ]);
  expect(unknown).toEqual(['gone.io/v1']);
});

it('rejects if the server cannot be read', async () => {
  const read = () => Promise.reject(new Error('no discovery'));
  await expect(discoverResources(read)()).rejects.toThrow('no discovery');
});
