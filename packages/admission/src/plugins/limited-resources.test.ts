import type { PersistentVolumeClaim, ResourceQuota } from '@apiserver/api/core/v1';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import { describe, expect, it } from 'vitest';
import { createAdmissionChain } from '../admission-chain.js';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { type AdmissionOutcome, runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { resourceQuota } from './resource-quota.js';

type Amounts = Record<string, string>;

function quota(hard: Amounts, used: Amounts, spec: ResourceQuota['spec'] = {}): ResourceQuota {
  const metadata = { name: 'q', namespace: 'ns' };
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec, status: { hard, used } };
}

describe('limited resources', () => {
  const configuration = (...limitedResources: object[]) => ({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'ResourceQuotaConfiguration',
    limitedResources,
  });
  const admit = (
    limited: object[],
    attributes: AdmissionAttributes,
    resourcequotas: readonly ResourceQuota[] = [],
  ): Promise<AdmissionOutcome> =>
    runPlugin(
      resourceQuota(
        testPluginDependencies({ resourcequotas: [...resourcequotas] }, { configuration: configuration(...limited) }),
      ),
      attributes,
    );
  const claim = (storageClassName: string, storage = '1Gi'): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'ns', resourceVersion: '1' },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: {},
  });
  const GOLD = 'gold.storageclass.storage.k8s.io/requests.storage';
  const ofGold = { resource: 'persistentvolumeclaims', matchContains: ['gold.storageclass', 'silver.'] };
  const createClaim = (name: string) => objectAttributes('persistentvolumeclaims', claim(name));
  const goldQuota = quota({ [GOLD]: '5Gi' }, { [GOLD]: '0' });
  const insufficient = 'persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ';
  const bothNames = `gold.storageclass.storage.k8s.io/persistentvolumeclaims,${GOLD}`;

  it.each<[string, object[], AdmissionAttributes, readonly ResourceQuota[], string]>([
    ['no quota', [ofGold], createClaim('gold'), [], `${insufficient}${bothNames}`],
    [
      'a quota of one of two',
      [ofGold],
      createClaim('gold'),
      [goldQuota],
      `${insufficient}gold.storageclass.storage.k8s.io/persistentvolumeclaims`,
    ],
    ['a quota', [{ ...ofGold, matchContains: [GOLD] }], createClaim('gold'), [goldQuota], ''],
    [
      'no quota of several resources, in order of their names',
      [{ resource: 'persistentvolumeclaims', matchContains: ['requests.storage', 'persistentvolumeclaims'] }],
      createClaim('gold'),
      [],
      `${insufficient}count/persistentvolumeclaims,${bothNames},persistentvolumeclaims,requests.storage`,
    ],
    ['another class', [ofGold], createClaim('bronze'), [], ''],
    ['another resource', [{ ...ofGold, resource: 'pods' }], createClaim('gold'), [], ''],
    ['another group', [{ ...ofGold, apiGroup: 'example.com' }], createClaim('gold'), [], ''],
    [
      'a quota that is exceeded',
      [{ ...ofGold, matchContains: [GOLD] }],
      createClaim('gold'),
      [quota({ [GOLD]: '1' }, { [GOLD]: '0' })],
      `persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: ${GOLD}=1Gi, used: ${GOLD}=0, limited: ${GOLD}=1`,
    ],
    [
      'an update that adds nothing',
      [ofGold],
      objectAttributes('persistentvolumeclaims', claim('gold'), { oldObject: claim('gold') }),
      [],
      '',
    ],
    [
      'an update that adds',
      [ofGold],
      objectAttributes('persistentvolumeclaims', claim('gold', '2Gi'), { oldObject: claim('gold') }),
      [],
      `${insufficient}${bothNames}`,
    ],
    [
      'a resource that is counted only',
      [{ apiGroup: 'batch', resource: 'jobs', matchContains: ['count/'] }],
      objectAttributes('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'ns' } }),
      [],
      'jobs.batch "j" is forbidden: insufficient quota to consume: count/jobs.batch',
    ],
  ])('%s', async (_, ...[limited, attributes, quotas, refused]) => {
    const { object } = attributes;
    expect(await admit(limited, attributes, quotas)).toEqual(refused === '' ? { object } : { refused });
  });

  const important = {
    resource: 'pods',
    matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }],
  };
  const createPod = (priorityClassName: string) => objectAttributes('pods', pod({ priorityClassName }));
  const scoped = (...values: string[]): ResourceQuota['spec'] => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] },
  });
  const uncovered = 'insufficient quota to match these scopes: [{PriorityClass In [high higher]}]';

  it.each<[string, object, string, readonly ResourceQuota[], string]>([
    ['no quota', important, 'high', [], uncovered],
    ['a pod outside of the scope', important, 'low', [], ''],
    ['a quota of the scope', important, 'high', [quota({ pods: '1' }, { pods: '0' }, scoped('high'))], ''],
    ['a quota of another class', important, 'high', [quota({ pods: '1' }, { pods: '0' }, scoped('low'))], uncovered],
    ['a quota without scopes', important, 'high', [quota({ pods: '1' }, { pods: '0' })], uncovered],
    [
      'a quota of the scope for another resource',
      important,
      'high',
      [quota({ services: '1' }, { services: '0' }, scoped('higher', 'high'))],
      '',
    ],
    ['the scope in an entry for another resource', { ...important, resource: 'services' }, 'high', [], uncovered],
    [
      'several scopes without values',
      {
        resource: 'pods',
        matchScopes: [
          { scopeName: 'PriorityClass', operator: 'Exists' },
          { scopeName: 'NotTerminating', operator: 'Exists' },
        ],
      },
      'high',
      [],
      'insufficient quota to match these scopes: [{PriorityClass Exists []} {NotTerminating Exists []}]',
    ],
  ])('a scope: %s', async (_, ...[limited, priorityClassName, quotas, refused]) => {
    const attributes = createPod(priorityClassName);
    const { object } = attributes;
    expect(await admit([limited], attributes, quotas)).toEqual(refused === '' ? { object } : { refused });
  });

  it('answers 500 for a scope, as upstream', async () => {
    const dependencies = testPluginDependencies({}, { configuration: configuration(important) });
    await expect(createAdmissionChain([resourceQuota(dependencies)]).validate(createPod('high'))).rejects.toMatchObject(
      {
        status: { code: 500 },
      },
    );
  });
});

describe('the configuration', () => {
  const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' };
  const old = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration' };
  const scheme = 'in scheme "pkg/admission/plugin/resourcequota/config.go:31"';

  it.each<[object, string]>([
    [head, ''],
    [{ ...old, limitedResources: [{ resource: 'pods' }] }, ''],
    [{ ...old, apiVersion: 'resourcequota.admission.k8s.io/v1alpha1' }, ''],
    [{ ...head, limitedResources: null }, ''],
    [{ ...head, limitedResources: [{ apiGroup: 'a', resource: 'b', matchContains: ['c'], matchScopes: [] }] }, ''],
    [{ ...head, limitedResources: [{ resource: 'pods' }, {}] }, 'limitedResources[1].resource: Required value'],
    [
      { ...head, limitedResources: [{ resource: '' }, {}] },
      '[limitedResources[0].resource: Required value, limitedResources[1].resource: Required value]',
    ],
    [
      { ...head, kind: 'Configuration' },
      `no kind "Configuration" is registered for version "${head.apiVersion}" ${scheme}`,
    ],
    [
      { ...head, limitedResources: [{ resource: 'pods', matchContain: [] }], more: 1 },
      'strict decoding error: unknown field "limitedResources[0].matchContain", unknown field "more"',
    ],
    [{ limitedResources: [] }, `Object 'Kind' is missing in '{"limitedResources":[]}'`],
    [{ kind: 'Configuration' }, `Object 'apiVersion' is missing in '{"kind":"Configuration"}'`],
    [{ ...head, apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
  ])('%j: %s', (configuration, fault) => {
    const create = () => resourceQuota(testPluginDependencies({}, { configuration }));
    if (fault === '') expect(create).not.toThrow();
    else expect(create).toThrow(new ConfigurationError(fault));
  });
});
