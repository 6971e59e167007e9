import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody } from '../testing/write-fixtures.js';

const [v1] = testDefinition().versions;

function versionOf(group: string, version: string) {
  if (v1 === undefined) throw new TypeError('the definition has no version');
  return { ...v1, version, schema: { ...v1.schema, gvk: { ...v1.schema.gvk, group, version } } };
}

// Upstream installs the core group and the other groups separately.
it.each([
  ['v1', ['a', 'b', 'c']],
  ['v0', ['a', 'b', 'c']],
  ['v2', ['b', 'c']],
  ['other.example.com/v1', ['b', 'c']],
])('a manager in the version %s: after a write there are the managers %s', async (apiVersion, managers) => {
  const otherVersions = [versionOf('', 'v0'), versionOf('other.example.com', 'v1')];
  const server = createTestServer({ definition: testDefinition({ otherVersions }) });
  const write = (method: string, url: string, type: string, body: unknown) =>
    server.call({
      method,
      url,
      headers: { 'Content-Type': type },
      body: JSON.stringify(body),
      user: { name: 'u', groups: [], extra: {} },
    });
  const label = (manager: string, name: string) => {
    const change = { metadata: { labels: { [name]: '' } } };
    return write('PATCH', `${CONFIG_MAP_A}?fieldManager=${manager}`, 'application/merge-patch+json', change);
  };
  const data = { data: { a: '1' } };
  await write('POST', `${CONFIG_MAPS}?fieldManager=a`, 'application/json', configMapBody(data));
  await label('b', 'x');
  const edit = { op: 'replace', path: '/metadata/managedFields/0/apiVersion', value: apiVersion };
  await write('PATCH', CONFIG_MAP_A, 'application/json-patch+json', [edit]);
  const { metadata }: KubeObject = JSON.parse((await label('c', 'y')).text);
  expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(managers);
});
