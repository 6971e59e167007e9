import type { ResourceQuota, ResourceQuotaSpec, ResourceQuotaStatus } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { resourceQuotas } from './index.js';

const context = testContext();
const { strategy } = resourceQuotas;

function quota(spec: ResourceQuotaSpec = {}, status: ResourceQuotaStatus = {}): ResourceQuota {
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec, status };
}

const SELECTOR = 'spec.scopeSelector.matchExpressions';
const select = (scopeName: string, operator: string, values?: string[]) => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }] },
});

it.each<[ResourceQuotaSpec, string]>([
  [{ hard: { pods: '10', 'requests.cpu': '1500m', 'count/deployments.apps': '5', 'example.com/gpu': '1' } }, ''],
  [{ hard: { pods: '1500m' } }, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'],
  [{ hard: { cpu: '-1' } }, 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  [{ hard: { storage: '1' } }, 'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
  [{ hard: { pods: '1' }, scopes: ['BestEffort'] }, ''],
  [{ scopes: ['x'] }, 'spec.scopes: Invalid value: ["x"]: unsupported scope'],
  [
    { hard: { cpu: '1' }, scopes: ['BestEffort'] },
    'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
  ],
  [
    { scopes: ['Terminating', 'NotTerminating'] },
    'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
  ],
  [{ hard: { persistentvolumeclaims: '1' }, ...select('VolumeAttributesClass', 'In', ['gold']) }, ''],
  [select('PriorityClass', 'In', ['high']), ''],
  [select('x', 'Exists'), `${SELECTOR}.scopeName: Invalid value: "x": unsupported scope`],
  [
    select('Terminating', 'DoesNotExist'),
    `${SELECTOR}.operator: Invalid value: "DoesNotExist": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
  ],
  [
    select('PriorityClass', 'In'),
    `${SELECTOR}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
  ],
  [
    select('PriorityClass', 'Exists', ['a']),
    `${SELECTOR}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
  ],
  [select('PriorityClass', '='), `${SELECTOR}.operator: Invalid value: "=": not a valid selector operator`],
  [
    { hard: { secrets: '1' }, ...select('PriorityClass', 'Exists') },
    `${SELECTOR}: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":null}]}: unsupported scope applied to resource`,
  ],
])('%j: %j', (spec, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, quota(spec)))).toBe(message);
});

it('keeps its scopes', () => {
  const update = (scopes: string[]) =>
    aggregateFieldErrors(
      strategy.validateUpdate(context, quota({ scopes }), quota({ scopes: ['BestEffort', 'PriorityClass'] })),
    );
  expect(update(['PriorityClass', 'BestEffort'])).toBe('');
  expect(update(['BestEffort'])).toBe('spec.scopes: Invalid value: ["BestEffort"]: field is immutable');
});

it('rounds amounts up to thousandths', () => {
  const draft = quota({ hard: { cpu: '1u' } }, { hard: { cpu: '2u' }, used: { cpu: '1500u' } });
  resourceQuotas.versions[0]?.applyDefaults?.(draft);
  expect(draft).toMatchObject({
    spec: { hard: { cpu: '1m' } },
    status: { hard: { cpu: '1m' }, used: { cpu: '2m' } },
  });
});

it('updates spec and status separately', async () => {
  const changed = () => quota({ hard: { pods: '2' } }, { used: { pods: '1' } });
  const [created, atMain, atStatus] = [changed(), changed(), changed()];
  await strategy.prepareForCreate?.(context, created);
  await strategy.prepareForUpdate?.(context, atMain, quota());
  const status = resourceQuotas.subresources.status?.strategy;
  await status?.prepareForUpdate?.(context, atStatus, quota());
  expect([created, atMain, atStatus].map(({ spec, status: after }) => [spec, after])).toEqual([
    [changed().spec, {}],
    [changed().spec, {}],
    [{}, changed().status],
  ]);
  const bad = quota({}, { hard: { pods: '-1' }, used: { x: '1' } });
  expect(status?.validateUpdate(context, bad, quota()).map(({ field }) => field)).toEqual([
    'status.hard[pods]',
    'status.used[x]',
    'status.used[x]',
  ]);
});

it('shows requests and limits', () => {
  const hard = { pods: '10', 'limits.cpu': '4', 'requests.cpu': '2' };
  const shown = quota({}, { hard, used: { pods: '3', 'limits.cpu': '1' } });
  expect(resourceQuotas.columns.map((column) => column.cell(shown, rowTime(0)))).toEqual([
    'a',
    'pods: 3/10, requests.cpu: 0/2',
    'limits.cpu: 1/4',
    '<unknown>',
  ]);
});

it.each<[Record<string, string>, string[]]>([
  [{ 'requests.cpu': '2', 'limits.cpu': '2' }, []],
  [{ 'requests.cpu': '2' }, []],
  [{ 'limits.cpu': '1', cpu: '2000m' }, ['ResourceQuota cpu (2) should be less than limits.cpu (1)']],
  [{ 'limits.cpu': '1', cpu: '2', 'requests.cpu': '1' }, []],
  [
    {
      'requests.memory': '2048Mi',
      'limits.memory': '1Gi',
      'requests.ephemeral-storage': '2',
      'limits.ephemeral-storage': '1',
    },
    [
      'ResourceQuota requests.memory (2Gi) should be less than limits.memory (1Gi)',
      'ResourceQuota requests.ephemeral-storage (2) should be less than limits.ephemeral-storage (1)',
    ],
  ],
  [{ 'ephemeral-storage': '2', 'limits.ephemeral-storage': '1' }, []],
])('warns of more requests than limits when it is created: %j', (hard, warnings) => {
  expect(strategy.warningsOnCreate?.(context, quota({ hard }))).toEqual(warnings);
  expect(strategy.warningsOnUpdate?.(context, quota({ hard }), quota({ hard })) ?? []).toEqual([]);
});
