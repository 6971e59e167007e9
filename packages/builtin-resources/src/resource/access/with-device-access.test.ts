import type { ResourceClaim, ResourceClaimStatus, ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { FeatureGates, RequestInfo, UserInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { resourceClaims } from '../resource-claim/index.js';
import { resourceClaimTemplates } from '../resource-claim-template/index.js';

const requestInfo: RequestInfo = {
  isResourceRequest: true,
  path: '/',
  verb: 'update',
  apiPrefix: 'apis',
  apiGroup: 'resource.k8s.io',
  apiVersion: 'v1',
  namespace: 'ns',
  resource: 'resourceclaims',
  subresource: 'status',
  name: 'c',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};
const account = (...nodes: string[]): UserInfo => ({
  name: 'system:serviceaccount:ns:driver',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': nodes },
});

function contextOf(user: UserInfo | undefined): VerbContext {
  return { ...testContext({ namespace: 'ns' }), user, requestInfo };
}

/** The requests to an authorizer that allows some of them. */
function server(
  allowed: readonly string[],
  labels: Record<string, string> | undefined = {},
  features: FeatureGates = TEST_FEATURES,
) {
  const seen: string[] = [];
  const options = {
    labelsOf: async (_context: VerbContext, name: string) => {
      if (name !== 'ns') throw newNotFound({ group: '', resource: 'namespaces' }, name);
      return labels;
    },
    refusal: async ({ verb, resource, subresource, namespace, name }: Record<string, unknown>) => {
      const question = `${verb} ${resource}/${subresource} ${namespace}/${name}`;
      seen.push(question);
      return allowed.includes(question) ? undefined : 'no';
    },
  };
  const claims = resourceClaims(options as never, features);
  return { seen, claims, templates: resourceClaimTemplates(options as never, TEST_FEATURES) };
}

function claim(status: ResourceClaimStatus, adminAccess = false): ResourceClaim {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'g', allocationMode: 'All', adminAccess } }] },
    },
    status,
  };
}

async function updated(
  { claims }: ReturnType<typeof server>,
  user: UserInfo | undefined,
  { status, old }: { status: ResourceClaimStatus; old: ResourceClaimStatus },
) {
  const strategy = claims.subresources['status']?.strategy;
  const [object, before, context] = [claim(status), claim(old), contextOf(user)];
  await strategy?.prepareForUpdate?.(context, object, before);
  return strategy
    ?.validateUpdate(context, object, before)
    .map(({ field, type, detail }) => `${field} ${type}: ${detail}`);
}

const RESULT = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'a' };
const onNode = (...values: string[]) => ({
  devices: { results: [RESULT] },
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }] },
});
const DEVICE = { driver: 'd.example.com', pool: 'p', device: 'a' };
const BINDING = 'update resourceclaims/binding /';
const driver = (prefix: string) => `${prefix}-node:update resourceclaims/driver ns/d.example.com`;

describe('permission to write a status', () => {
  const bound = { allocation: onNode('n') };
  const reported = { ...bound, devices: [DEVICE] };
  const several = { allocation: onNode('n', 'm') };
  const driverRefused = (...verbs: string[]) =>
    `status.devices FieldValueForbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: no`;

  it.each<[string, { status: ResourceClaimStatus; old: ResourceClaimStatus; user: UserInfo }, string[], string[]]>([
    ['nothing new', { status: bound, old: bound, user: account() }, [], []],
    [
      'empty lists that the stored status lacks',
      {
        status: { allocation: { ...bound.allocation, devices: { results: [RESULT], config: [] } }, reservedFor: [] },
        old: bound,
        user: account(),
      },
      [],
      [],
    ],
    [
      'the devices of a driver with an empty list',
      { status: { ...bound, devices: [{ ...DEVICE, conditions: [] }] }, old: reported, user: account() },
      [],
      [],
    ],
    ['an allocation', { status: bound, old: {}, user: account() }, [BINDING], []],
    [
      'an allocation that is not allowed',
      { status: bound, old: {}, user: account() },
      [BINDING],
      [
        'status.allocation FieldValueForbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: no',
      ],
    ],
    ['of devices on its node', { status: reported, old: bound, user: account('n') }, [driver('associated')], []],
    [
      'of devices on another node',
      { status: reported, old: bound, user: account('m') },
      [driver('arbitrary')],
      [driverRefused('arbitrary-node:update')],
    ],
    [
      'of devices on several nodes',
      { status: { ...several, devices: [DEVICE] }, old: several, user: account('n') },
      [driver('arbitrary')],
      [driverRefused('arbitrary-node:update')],
    ],
    [
      'of devices, and is no service account',
      { status: reported, old: bound, user: { ...account('n'), name: 'system:node:n' } },
      [driver('arbitrary')],
      [driverRefused('arbitrary-node:update')],
    ],
    [
      'nothing more of devices on its node, and may not',
      { status: bound, old: reported, user: account('n') },
      [driver('associated'), driver('arbitrary')],
      [driverRefused('associated-node:update', 'arbitrary-node:update')],
    ],
  ])('%s', async (_what, { status, old, user }, questions, errors) => {
    const made = server(errors.length > 0 ? [] : questions);
    expect(await updated(made, user, { status, old })).toEqual(errors);
    expect(made.seen).toEqual(questions);
  });

  it('asks for nothing without DRAResourceClaimGranularStatusAuthorization', async () => {
    const made = server([], {}, testFeatures({ DRAResourceClaimGranularStatusAuthorization: false }));
    expect([await updated(made, account('m'), { status: reported, old: {} }), made.seen]).toEqual([[], []]);
  });

  it('requires a user', async () => {
    const reported = await updated(server([]), undefined, { status: { allocation: onNode('n') }, old: {} });
    expect(reported).toEqual([
      expect.stringContaining('status.allocation InternalError: cannot build authorizer attributes'),
    ]);
  });
});

describe('admin access', () => {
  const LABELLED = { 'resource.kubernetes.io/admin-access': 'true' };
  const REFUSED =
    'admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';

  it.each<[string, boolean, Record<string, string>, string[]]>([
    ['is not checked if it is not requested', false, {}, []],
    ['is granted', true, LABELLED, []],
    [
      'is refused',
      true,
      { 'resource.kubernetes.io/admin-access': 'yes' },
      [`spec.devices.requests[0].adminAccess: ${REFUSED}`],
    ],
  ])('%s', async (_what, wanted, labels, errors) => {
    const { claims, templates } = server([], labels);
    const { metadata, spec } = claim({}, wanted);
    const template: ResourceClaimTemplate = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata,
      spec: { metadata: {}, spec },
    };
    const context = contextOf(account());
    const reported = async (strategy: typeof claims.strategy | typeof templates.strategy, object: never) => {
      await strategy.prepareForCreate?.(context, object);
      return strategy.validate(context, object).map(({ field, detail }) => `${field}: ${detail}`);
    };
    expect(await reported(claims.strategy, claim({}, wanted) as never)).toEqual(errors);
    expect(await reported(templates.strategy, template as never)).toEqual(errors);
  });

  it('is checked once, when it is granted', async () => {
    const allocation = { devices: { results: [{ ...RESULT, adminAccess: true }] } };
    const unlabelled = server([BINDING]);
    expect(await updated(unlabelled, account(), { status: { allocation }, old: {} })).toEqual([
      `status.allocation.devices.results[0].adminAccess FieldValueForbidden: ${REFUSED}`,
    ]);
    expect(await updated(unlabelled, account(), { status: { allocation }, old: { allocation } })).toEqual([]);
    expect(await updated(server([BINDING], LABELLED), account(), { status: { allocation }, old: {} })).toEqual([]);
  });

  it('is refused if the namespace cannot be read', async () => {
    const { claims } = server([]);
    const context = { ...contextOf(account()), namespace: 'gone' };
    const object = claim({}, true);
    await claims.strategy.prepareForCreate?.(context, object);
    expect(claims.strategy.validate(context, object)[0]?.detail).toBe(
      'could not retrieve namespace to verify admin access: namespaces "gone" not found',
    );
  });
});
