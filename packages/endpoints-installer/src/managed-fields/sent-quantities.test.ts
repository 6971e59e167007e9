import { LimitRange, Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody } from '../testing/write-fixtures.js';

/** The managers after an object with one quantity was made, updated and patched with another. */
async function managersAfter(kind: 'LimitRange' | 'Pod', first: unknown, second: unknown) {
  const versions = [{ version: 'v1', schema: kind === 'Pod' ? Pod : LimitRange }];
  const server = createTestServer({ definition: testDefinition({ kind, versions }), now: () => 0 });
  const bodyOf = (quantity: unknown) => configMapBody(kind === 'Pod' ? withDivisor(quantity) : withLimit(quantity));
  const send = async (method: string, url: string, quantity: unknown, type = 'application/json') => {
    const user = { name: 'u', groups: [], extra: {} };
    const headers = { 'Content-Type': type };
    const { text } = await server.call({ method, url, headers, user, body: bodyOf(quantity) });
    const { metadata } = JSON.parse(text) as KubeObject;
    return metadata.managedFields?.map(({ manager }) => manager).join();
  };
  await send('POST', `${CONFIG_MAPS}?fieldManager=one`, first);
  const updated = await send('PUT', `${CONFIG_MAP_A}?fieldManager=two&dryRun=All`, second);
  const type = 'application/strategic-merge-patch+json';
  return [updated, await send('PATCH', `${CONFIG_MAP_A}?fieldManager=two`, second, type)];
}

function withLimit(cpu: unknown) {
  return { kind: 'LimitRange', spec: { limits: [{ type: 'Pod', max: { cpu } }] } };
}

function withDivisor(divisor: unknown) {
  const items = [{ path: 'p', resourceFieldRef: { resource: 'limits.cpu', divisor } }];
  return { kind: 'Pod', spec: { volumes: [{ name: 'v', downwardAPI: { items } }] } };
}

it.each([
  ['another notation', '1', '1000m', 'two'],
  ['a sign', '1', '+1', 'two'],
  ['another zero', '0', '0Ki', 'two'],
  ['a number', '1', 1, 'one'],
  ['a notation that Go reads alike', '8Mi', '8192Ki', 'one'],
  ['the stored form of another notation', '1000m', '1', 'one'],
])('takes or leaves an atomic list with %s: %s, %s', async (_, first, second, manager) => {
  expect(await managersAfter('LimitRange', first, second)).toEqual([manager, manager]);
});

it.each([
  ['no quantity', undefined],
  ['null', null],
])('takes an atomic list with %s, which Go tells from zero', async (_, quantity) => {
  expect(await managersAfter('Pod', '0', quantity)).toEqual(['one,two', 'one,two']);
});

it.each([
  ['Container', 'one'],
  ['Pod', 'two'],
])('takes a limit with empty amounts unless its defaults make them: %s', async (type, managers) => {
  const applyDefaults = (object: KubeObject) => {
    const [limit] = (object as LimitRange).spec.limits ?? [];
    if (limit?.type === 'Container') delete limit.default;
  };
  const versions = [{ version: 'v1', schema: LimitRange, applyDefaults }];
  const server = createTestServer({ definition: testDefinition({ kind: 'LimitRange', versions }), now: () => 0 });
  const send = async (method: string, url: string, limit: object) => {
    const body = configMapBody({ kind: 'LimitRange', spec: { limits: [{ type, max: { cpu: '1' }, ...limit }] } });
    const user = { name: 'u', groups: [], extra: {} };
    const { text } = await server.call({ method, url, headers: { 'Content-Type': 'application/json' }, user, body });
    return (JSON.parse(text) as KubeObject).metadata.managedFields?.map(({ manager }) => manager).join();
  };
  await send('POST', `${CONFIG_MAPS}?fieldManager=one`, {});
  expect(await send('PUT', `${CONFIG_MAP_A}?fieldManager=two`, { default: {} })).toBe(managers);
});
