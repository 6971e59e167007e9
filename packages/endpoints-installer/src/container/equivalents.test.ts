import type { AnyResourceDefinition, APIGroupInfo, EndpointVersion } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import { createMemoryRestStorage } from '../testing/memory-rest-storage.js';
import { testCodec, testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import { recordingChain } from '../testing/write-fixtures.js';

const [v1] = testDefinition().versions;
if (v1 === undefined) throw new TypeError('the definition has no version');

function group(definition: AnyResourceDefinition, versions: readonly string[]): APIGroupInfo {
  const storage = createMemoryRestStorage({ definition, codec: testCodec() });
  return { group: definition.group, versions, resources: [{ definition, storage, subresources: {} }] };
}

test('endpoints of the same stored objects are equivalent while they are installed', async () => {
  const found: (readonly string[])[] = [];
  const names = (versions: readonly EndpointVersion[]) =>
    versions.map(({ resource }) => `${resource.group}/${resource.version}`);
  const { admission } = recordingChain({ admit: ({ scope }) => void found.push(names(scope.equivalents())) });
  const server = createTestServer({ admission });
  const core = testDefinition();
  const other = testDefinition({
    group: 'config.example.com',
    storedAs: core,
    keyPrefix: 'others',
    versions: [v1],
    otherVersions: [{ ...v1, version: 'v0' }],
  });
  const create = () =>
    server.call({
      method: 'POST',
      url: '/api/v1/namespaces/n/configmaps?dryRun=All',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    });
  await create();
  const remove = server.container.install(group(other, ['v1']));
  server.container.install(group(testDefinition({ resource: 'bananas', keyPrefix: 'bananas' }), ['v1']));
  await create();
  await server.call({
    method: 'POST',
    url: '/apis/config.example.com/v1/namespaces/n/configmaps?dryRun=All',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  });
  remove();
  await create();
  expect(found).toEqual([
    ['/v1'],
    ['/v1', 'config.example.com/v1'],
    ['/v1', 'config.example.com/v1', 'config.example.com/v0'],
    ['/v1'],
  ]);
});
