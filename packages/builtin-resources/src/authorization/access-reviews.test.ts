import type { ResourceAttributes } from '@apiserver/api/authorization/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  RuleResolver,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { authorizationGroup } from './index.js';

const amy: UserInfo = { name: 'amy', groups: ['g'], extra: {} };

interface SentReview {
  readonly spec: object;
  readonly metadata?: object;
  readonly result?: AuthorizationResult;
  readonly rules?: Awaited<ReturnType<RuleResolver['rulesFor']>>;
}

async function ask(kind: string, { spec, metadata = {}, result, rules }: SentReview) {
  const requested: AuthorizationAttributes[] = [];
  const { resources } = authorizationGroup({
    authorizer: {
      authorize: (attributes) => {
        requested.push(attributes);
        return result ?? { decision: 'Allow', reason: 'because' };
      },
    },
    ruleResolver: {
      rulesFor: async () => rules ?? { resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] },
    },
  });
  const storage = resources.find(({ definition }) => definition.kind === kind)?.storage;
  const body = { apiVersion: 'authorization.k8s.io/v1', kind, metadata, spec } as KubeObject;
  const stored = await storage?.create?.({ ...testContext(), user: amy }, body, async () => {}, {});
  return { response: stored?.object as { status?: object; spec?: object } | undefined, requested: requested[0] };
}

const pods: ResourceAttributes = { verb: 'get', resource: 'pods', namespace: 'ns' };

describe('access reviews', () => {
  it('check the user of the request, or the named user', async () => {
    const self = await ask('SelfSubjectAccessReview', { spec: { resourceAttributes: pods } });
    expect(self.requested).toEqual({
      user: amy,
      verb: 'get',
      readOnly: true,
      isResourceRequest: true,
      apiGroup: '',
      apiVersion: '*',
      namespace: 'ns',
      resource: 'pods',
      subresource: '',
      name: '',
      path: '',
    });
    expect(self.response?.status).toEqual({ allowed: true, reason: 'because' });
    const bob = { user: 'bob', groups: ['x'], uid: 'u', extra: { k: ['v'] } };
    const other = await ask('SubjectAccessReview', {
      spec: { ...bob, nonResourceAttributes: { verb: 'post', path: '/x' } },
      result: { decision: 'Deny', reason: '', error: new Error('boom') },
    });
    expect(other.requested).toMatchObject({
      user: { name: 'bob', groups: ['x'], uid: 'u', extra: { k: ['v'] } },
      isResourceRequest: false,
      readOnly: false,
      path: '/x',
    });
    expect(other.response?.status).toEqual({ allowed: false, denied: true, evaluationError: 'boom' });
  });

  it.each<[ResourceAttributes, string | undefined, string | undefined]>([
    [{ fieldSelector: { rawSelector: 'a=b' } }, 'a=b', undefined],
    [
      { fieldSelector: { rawSelector: 'a' } },
      undefined,
      'spec.resourceAttributes.fieldSelector ignored due to parse error',
    ],
    [
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'NotIn', values: ['b'] },
            { key: 'c', operator: 'Exists' },
          ],
        },
      },
      'a!=b',
      'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
    ],
    [{ labelSelector: { rawSelector: 'a in (b)' } }, 'a in (b)', undefined],
    [
      {
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'Exists' },
            { key: 'b', operator: 'Gt', values: ['1'] },
          ],
        },
      },
      'a',
      'spec.resourceAttributes.labelSelector partially ignored due to parse error',
    ],
    [
      { labelSelector: { requirements: [{ key: 'b', operator: 'Near' }] } },
      undefined,
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
  ])('pass on valid selectors: %j', async (selectors, text, fault) => {
    const { requested, response } = await ask('SelfSubjectAccessReview', {
      spec: { resourceAttributes: { ...pods, ...selectors } },
    });
    expect((requested?.fieldSelector ?? requested?.labelSelector)?.toString()).toBe(text);
    expect(response?.status).toEqual({ allowed: true, reason: 'because', ...(fault && { evaluationError: fault }) });
  });

  it.each<[string, object, object, string]>([
    [
      'SelfSubjectAccessReview',
      {},
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: pods },
      { name: 'x' },
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
    [
      'SubjectAccessReview',
      { user: 'a', resourceAttributes: pods, nonResourceAttributes: { path: '/' } },
      {},
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":""}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'SubjectAccessReview',
      { resourceAttributes: pods },
      {},
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'a', resourceAttributes: pods },
      { namespace: 'other' },
      'spec.resourceAttributes.namespace: Invalid value: "ns": must match metadata.namespace',
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'a', resourceAttributes: pods },
      { namespace: 'ns', labels: { a: 'b' } },
      'metadata: Invalid value: {"namespace":"ns","labels":{"a":"b"}}: must be empty except for namespace',
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'a', nonResourceAttributes: { path: '/x', verb: 'get' } },
      {},
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { fieldSelector: { rawSelector: 'a=b', requirements: [{ key: '', operator: 'In' }] } } },
      {},
      "[spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements, spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn']",
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { labelSelector: {} } },
      {},
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ])('%s refuses %j', async (kind, spec, metadata, message) => {
    await expect(ask(kind, { spec, metadata })).rejects.toThrow(`.authorization.k8s.io "" is invalid: ${message}`);
  });
});

describe('SelfSubjectRulesReview', () => {
  it('lists the rules, with an empty spec', async () => {
    const rules = {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
      incomplete: true,
      errors: [new Error('a'), new Error('b')],
    };
    const { response } = await ask('SelfSubjectRulesReview', { spec: { namespace: 'ns' }, rules });
    expect(response).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: {},
      spec: {},
      status: {
        resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
        incomplete: true,
        evaluationError: '[a, b]',
      },
    });
  });

  it('requires a namespace', async () => {
    await expect(ask('SelfSubjectRulesReview', { spec: {} })).rejects.toThrow('no namespace on request');
  });
});
