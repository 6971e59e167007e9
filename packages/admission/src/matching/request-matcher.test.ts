import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes, EndpointVersion } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import { objectAttributes, testAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { MatchCriteria, type MatchFields } from './match-criteria.js';
import { RequestMatcher } from './request-matcher.js';
import type { ResourceRule } from './resource-rule.js';

const PODS: ResourceRule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const fields: MatchFields = { namespaceSelector: {}, objectSelector: {}, resourceRules: [PODS] };

function labelled(kind: string, name: string, labels: Record<string, string>, namespace?: string): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels, ...(namespace !== undefined && { namespace }) } };
}

const pod = labelled('Pod', 'p', { app: 'a' }, 'ns');

/** Reports whether the criteria select a request; or the error. `calls` are those of the API. */
async function select(attributes: AdmissionAttributes, changes: Partial<MatchFields>, synced = true) {
  const namespaces = [labelled('Namespace', 'ns', { team: 'x' })];
  const dependencies = testPluginDependencies({ namespaces });
  const { informer } = dependencies;
  const matcher = new RequestMatcher({
    client: dependencies.client,
    informer: (resource) => ({ ...informer(resource), ...(!synced && { get: () => undefined }) }),
  });
  try {
    const match = await matcher.match(attributes, new MatchCriteria({ ...fields, ...changes }));
    return { match: match?.resource, calls: dependencies.calls };
  } catch (error) {
    return { error: (error as Error).message, calls: dependencies.calls };
  }
}

const TEAM_X = { matchLabels: { team: 'x' } };
const TEAM_Y = { matchLabels: { team: 'y' } };
const APP_A = { matchLabels: { app: 'a' } };
const NO_APP = { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] };

test.each<[string, Partial<MatchFields>, Partial<AdmissionAttributes>, boolean]>([
  ['rules', {}, {}, true],
  ['other rules', { resourceRules: [{ ...PODS, resources: ['nodes'] }] }, {}, false],
  ['no rules', { resourceRules: [] }, {}, false],
  ['no rules of a policy', { resourceRules: [], selectsAllWithoutRules: true }, {}, true],
  ['excluded rules', { excludeResourceRules: [PODS] }, {}, false],
  ['the labels of the namespace', { namespaceSelector: TEAM_X }, {}, true],
  ['other labels of the namespace', { namespaceSelector: TEAM_Y }, {}, false],
  ['labels of a namespace, for a cluster-scoped object', { namespaceSelector: TEAM_Y }, { namespace: '' }, true],
  ['the labels of the object', { objectSelector: APP_A }, {}, true],
  ['the labels of the old object', { objectSelector: APP_A }, { object: undefined, oldObject: pod }, true],
  ['other labels of the object', { objectSelector: TEAM_X }, { oldObject: pod }, false],
  ['the lack of a label', { objectSelector: NO_APP }, { object: labelled('Pod', 'p', {}, 'ns') }, true],
  ['any selector of objects, for a connection', { objectSelector: NO_APP }, { operation: 'CONNECT' }, false],
  ['no selectors', { namespaceSelector: undefined, objectSelector: undefined } as object, {}, false],
])('a request is selected by %s', async (_, changes, attributes, expected) => {
  const { match } = await select(objectAttributes('pods', pod, attributes), changes);
  expect(match !== undefined).toBe(expected);
});

test('a namespace is selected by its new labels when it is written, and by its own when it is deleted', async () => {
  const written = labelled('Namespace', 'ns', { team: 'y' });
  const rules = [{ ...PODS, resources: ['namespaces'] }];
  const selected = async (changes: Partial<AdmissionAttributes>) => {
    const attributes = objectAttributes('namespaces', written, { namespace: 'ns', ...changes });
    const matches = [TEAM_X, TEAM_Y].map(async (namespaceSelector) => {
      const { match } = await select(attributes, { namespaceSelector, resourceRules: rules });
      return match !== undefined;
    });
    return await Promise.all(matches);
  };
  expect(await selected({ operation: 'CREATE' })).toEqual([false, true]);
  expect(await selected({ operation: 'DELETE', object: undefined, oldObject: written })).toEqual([true, false]);
});

test('a namespace that the informer lacks is read from the API, for requests that match otherwise', async () => {
  const attributes = objectAttributes('pods', pod);
  const missing = objectAttributes('pods', pod, { namespace: 'gone' });
  expect([
    await select(attributes, { namespaceSelector: TEAM_X }, false),
    await select(attributes, { namespaceSelector: TEAM_X, objectSelector: TEAM_X }, false),
    await select(missing, { namespaceSelector: TEAM_X }),
  ]).toEqual([
    { match: attributes.resource, calls: ['get namespaces ns'] },
    { match: undefined, calls: [] },
    { error: 'namespaces "gone" not found', calls: ['get namespaces gone'] },
  ]);
});

test('an invalid selector is an internal error', async () => {
  const namespaceSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] };
  expect(await select(objectAttributes('pods', pod), { namespaceSelector })).toMatchObject({
    error: 'Internal error occurred: "Near" is not a valid label selector operator',
  });
});

test('an equivalent resource is selected where the policy says so, by the first rule that selects any', async () => {
  const own = testAttributes({ resource: { group: 'autoscaling', version: 'v2', resource: 'hpas' } });
  const versions = ['v2', 'v1', 'v0'].map(
    (version): EndpointVersion => ({ ...own.scope, resource: { ...own.resource, version } }),
  );
  const attributes = { ...own, scope: { ...own.scope, equivalents: () => versions } };
  const rule = { ...PODS, apiGroups: ['autoscaling'], resources: ['hpas'] };
  const matched = async (matchPolicy: string, ...apiVersions: string[]) => {
    const resourceRules = apiVersions.map((version) => ({ ...rule, apiVersions: [version] }));
    return (await select(attributes, { matchPolicy, resourceRules })).match?.version;
  };
  expect([
    await matched('Exact', 'v1'),
    await matched('Equivalent', 'v1'),
    await matched('Equivalent', 'v0', 'v1'),
    await matched('Equivalent', 'v0', 'v2'),
    await matched('Equivalent', 'v3'),
  ]).toEqual([undefined, 'v1', 'v0', 'v2', undefined]);
});

test('a resource of the same name and version in another group is an equivalent', async () => {
  const own = objectAttributes('events', labelled('Event', 'e', {}, 'ns'));
  const other = { ...own.scope, resource: { ...own.resource, group: 'events.k8s.io' } };
  const attributes = { ...own, scope: { ...own.scope, equivalents: () => [own.scope, other] } };
  const resourceRules = [{ ...PODS, apiGroups: ['events.k8s.io'], resources: ['events'] }];
  expect((await select(attributes, { matchPolicy: 'Equivalent', resourceRules })).match).toEqual(other.resource);
});

test('a namespace that cannot be read is an internal error', async () => {
  const dependencies = testPluginDependencies();
  const refuse = () => Promise.reject(new Error('no connection'));
  const matcher = new RequestMatcher({
    informer: dependencies.informer,
    client: { resource: (resource) => ({ ...dependencies.client.resource(resource), get: refuse }) },
  });
  const criteria = new MatchCriteria({ ...fields, namespaceSelector: TEAM_X });
  await expect(matcher.match(objectAttributes('pods', pod), criteria)).rejects.toThrow(
    'Internal error occurred: no connection',
  );
});

test('a subresource of a namespace is selected by the stored labels', async () => {
  const written = labelled('Namespace', 'ns', { team: 'y' });
  const rules = [{ ...PODS, resources: ['namespaces/*'] }];
  const attributes = objectAttributes('namespaces/status', written, { namespace: 'ns', operation: 'UPDATE' });
  const matches = [TEAM_X, TEAM_Y].map(async (namespaceSelector) => {
    const { match } = await select(attributes, { namespaceSelector, resourceRules: rules });
    return match !== undefined;
  });
  expect(await Promise.all(matches)).toEqual([true, false]);
});
