import { ResourceSlice } from '@apiserver/api/resource/v1';
import { ResourceSlice as BetaSlice } from '@apiserver/api/resource/v1beta2';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
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

// Upstream converts the merged value by way of Go's types, whose JSON leaves empty lists out.
it('an applier that comes in another version removes a list by an empty one without a conflict', async () => {
  const group = 'resource.k8s.io';
  const versions = [
    { version: 'v1', schema: ResourceSlice as KindSchema as KindSchema<KubeObject> },
    {
      version: 'v1beta2',
      schema: BetaSlice as KindSchema as KindSchema<KubeObject>,
      toHub: (object: KubeObject) => ({ ...object, apiVersion: `${group}/v1` }),
    },
  ];
  const names = { group, kind: 'ResourceSlice', listKind: 'ResourceSliceList', resource: 'resourceslices' };
  const definition = testDefinition({ ...names, scope: 'Cluster', versions });
  const codec = compileKind(ResourceSlice as KindSchema as KindSchema<KubeObject>);
  const server = createTestServer({ definition, codec });
  const write = async (manager: string, version: string, type: string, change: object) => {
    const { text } = await server.call({
      method: 'PATCH',
      url: `/apis/${group}/${version}/resourceslices/a?fieldManager=${manager}`,
      headers: { 'Content-Type': `application/${type}` },
      body: JSON.stringify({ apiVersion: `${group}/${version}`, kind: 'ResourceSlice', ...change }),
      user: { name: 'u', groups: [], extra: {} },
    });
    return JSON.parse(text);
  };
  await write('a', 'v1', 'apply-patch+yaml', { metadata: { name: 'a', labels: { x: '' } } });
  const counters = [{ name: 'c', counters: {} }];
  const changed = await write('b', 'v1beta2', 'merge-patch+json', { spec: { driver: 'd', sharedCounters: counters } });
  expect(changed.spec).toHaveProperty('sharedCounters');
  const change = { metadata: { name: 'a' }, spec: { sharedCounters: [] } };
  const applied = await write('a', 'v1beta2', 'apply-patch+yaml', change);
  expect(applied).not.toHaveProperty('message');
  expect(applied.spec).not.toHaveProperty('sharedCounters');
});
