import type { ParamRef } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, test } from 'vitest';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { collectParameters } from './collect-parameters.js';
import { ParameterKind } from './parameter-kinds.js';

const KIND = { apiVersion: 'rules.example/v1', kind: 'Limit' };
const limit = (name: string, namespace: string | undefined, more: object = {}): KubeObject => ({
  ...KIND,
  metadata: { name, ...(namespace !== undefined && { namespace }), labels: { app: name } },
  ...more,
});

/** The parameters by name, or the fault. */
async function collect(
  ref: ParamRef | undefined,
  { namespaced = true, isKnown = true, namespace = 'ns' } = {},
  objects: readonly KubeObject[] = [limit('a', 'ns'), limit('b', 'ns'), limit('a', 'other')],
) {
  const resource = { group: 'rules.example', version: 'v1', resource: 'limits' };
  const dependencies = testPluginDependencies(
    { limits: [...objects] },
    { resourcesOf: async () => (isKnown ? [{ resource, namespaced }] : []) },
  );
  const collected = await collectParameters(new ParameterKind(KIND, dependencies, dependencies.clock), ref, namespace);
  if ('fault' in collected) return collected.fault;
  return collected.parameters.map((one) => one && `${one.metadata.namespace ?? ''}/${one.metadata.name}`);
}

const app = (value: string) => ({ matchLabels: { app: value } });

test('parameters are found by name or by labels, in the namespace of the reference or of the request', async () => {
  const cluster = [limit('a', undefined), limit('b', undefined)];
  expect([
    await collect({ name: 'a' }),
    await collect({ name: 'a', namespace: 'other' }),
    await collect({ name: 'b', namespace: 'other' }),
    await collect({ selector: app('a') }),
    await collect({ selector: {} }),
    await collect({ selector: app('b'), namespace: 'other' }),
    await collect({ name: 'a' }, { namespaced: false }, cluster),
    await collect({ selector: app('b') }, { namespaced: false }, cluster),
    await collect(undefined),
  ]).toEqual([['ns/a'], ['other/a'], [], ['ns/a'], ['ns/a', 'ns/b'], [], ['/a'], ['/b'], [undefined]]);
});

test('a policy without parameters is evaluated once', async () => {
  expect(await collectParameters(undefined, { name: 'a' }, 'ns')).toEqual({ parameters: [undefined] });
});

test.each<[string, Parameters<typeof collect>, string]>([
  [
    'an unknown kind',
    [{ name: 'a' }, { isKnown: false }],
    "failed to find resource referenced by paramKind: 'rules.example/v1, Kind=Limit'",
  ],
  [
    'no namespace',
    [{ name: 'a' }, { namespace: '' }],
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  ],
  [
    'a namespace for a cluster-scoped kind',
    [{ name: 'a', namespace: 'ns' }, { namespaced: false }],
    'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  ],
  ['both ways', [{ name: 'a', selector: {} }], 'paramRef.name and paramRef.selector are mutually exclusive'],
  ['neither way', [{}], 'one of name or selector must be provided'],
  [
    'an invalid selector',
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }],
    '"Near" is not a valid label selector operator',
  ],
  [
    'no parameters, which denies',
    [{ name: 'c', parameterNotFoundAction: 'Deny' }],
    'no params found for policy binding with `Deny` parameterNotFoundAction',
  ],
])('%s is a fault', async (_, call, fault) => {
  expect(await collect(...call)).toBe(fault);
});

test('parameters without a kind get it', async () => {
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = limit('a', 'ns');
  const resource = { group: 'rules.example', version: 'v1', resource: 'limits' };
  const stored: KubeObject = JSON.parse(JSON.stringify(bare));
  const dependencies = testPluginDependencies(
    { limits: [stored] },
    { resourcesOf: async () => [{ resource, namespaced: true }] },
  );
  const kind = new ParameterKind(KIND, dependencies, dependencies.clock);
  expect(await collectParameters(kind, { name: 'a' }, 'ns')).toEqual({ parameters: [limit('a', 'ns')] });
});
