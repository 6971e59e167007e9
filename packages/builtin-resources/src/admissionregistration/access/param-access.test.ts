import { FieldPath, fieldErrorMessage, fieldRequired } from '@apiserver/apimachinery/field';
import type { AuthorizationAttributes, UserInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { mutatingAdmissionPolicyBindings } from '../mutating-admission-policy-binding/index.js';
import { validatingAdmissionPolicies } from '../validating-admission-policy/index.js';

const ALICE: UserInfo = { name: 'alice', uid: 'u', groups: ['dev', 'ops'], extra: { b: ['1', '2'], a: [] } };
const TEXT = '&{alice u [dev ops] map[a:[] b:[1 2]]}';
const PARAM_KIND = { apiVersion: 'example.com/v1', kind: 'Limit' };
const SPECS: Record<string, { paramKind?: { apiVersion: string; kind: string } }> = {
  known: { paramKind: PARAM_KIND },
  bare: {},
  odd: { paramKind: { apiVersion: 'a/b/c', kind: 'Limit' } },
};
const metadata = { name: 'p' };

type Decision = 'Allow' | 'NoOpinion' | Error;

/** The kinds of a server with one decision for all requests, and the requests. */
function server(answer: Decision, resource?: string) {
  const asked: Partial<AuthorizationAttributes>[] = [];
  const dependencies = {
    features: { enabled: () => false },
    paramAccess: {
      resourceOf: async () => resource,
      policyOf: async (policies: string, name: string) =>
        policies === 'mutatingadmissionpolicies' && name !== 'unknown' ? SPECS[name] : undefined,
      authorizer: {
        async authorize({ verb, readOnly, apiGroup, apiVersion, resource, namespace, name }: AuthorizationAttributes) {
          asked.push({ verb, readOnly, apiGroup, apiVersion, resource, namespace, name });
          return answer instanceof Error
            ? { decision: 'NoOpinion' as const, reason: '', error: answer }
            : { decision: answer, reason: '' };
        },
      },
    },
  };
  return {
    asked,
    policies: validatingAdmissionPolicies(dependencies).strategy,
    bindings: mutatingAdmissionPolicyBindings(dependencies).strategy,
  };
}

const as = (user: UserInfo | undefined): VerbContext => ({ ...testContext({ namespace: '' }), user });
const policy = (paramKind?: typeof PARAM_KIND) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata,
  status: {},
  spec: paramKind === undefined ? {} : { paramKind },
});
const binding = (policyName: string, paramRef?: { name?: string; namespace?: string }) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicyBinding',
  metadata,
  spec: paramRef === undefined ? { policyName } : { policyName, paramRef },
});

describe('the kind of parameters', () => {
  const refusal = `spec.paramKind: Forbidden: user ${TEXT} must have "get" permission on all objects of the referenced paramKind (kind=Limit, apiVersion=example.com/v1)`;
  const question = {
    verb: 'get',
    readOnly: true,
    apiGroup: 'example.com',
    apiVersion: 'v1',
    namespace: '*',
    name: '*',
  };

  it.each<[string, Decision, string | undefined, string[]]>([
    ['is readable', 'Allow', 'limits', []],
    ['is not readable', 'NoOpinion', 'limits', [refusal]],
    ['is unknown', 'NoOpinion', undefined, [refusal]],
    [
      'cannot be decided on',
      new Error('the authorizer is away'),
      'limits',
      ['spec.paramKind: Forbidden: the authorizer is away'],
    ],
  ])('%s', async (_what, answer, resource, messages) => {
    const { policies, asked } = server(answer, resource);
    const errors = await policies.validateInTurns?.(as(ALICE), policy(PARAM_KIND), undefined, []);
    expect(errors?.map(fieldErrorMessage)).toEqual(messages);
    expect(asked).toEqual([{ ...question, resource: resource ?? '*' }]);
  });

  it('is not asked about where nothing changes or nothing can', async () => {
    const { policies, asked } = server('NoOpinion', 'limits');
    const invalid = [fieldRequired(FieldPath.of('spec'), '')];
    const administrator = { ...ALICE, groups: ['system:masters'] };
    const results = await Promise.all([
      policies.validateInTurns?.(as(ALICE), policy(), undefined, []),
      policies.validateInTurns?.(as(ALICE), policy(PARAM_KIND), policy(PARAM_KIND), []),
      policies.validateInTurns?.(as(ALICE), policy(PARAM_KIND), undefined, invalid),
      policies.validateInTurns?.(as(administrator), policy(PARAM_KIND), undefined, []),
    ]);
    expect([results, asked]).toEqual([[[], [], [], []], []]);
  });

  it('needs a user', async () => {
    const errors = await server('Allow').policies.validateInTurns?.(as(undefined), policy(PARAM_KIND), undefined, []);
    expect(errors?.map(({ detail }) => detail)).toEqual([
      'cannot identify user to authorize read access to paramKind resources',
    ]);
  });
});

describe('a reference to parameters', () => {
  const onObject = 'permission on the object referenced by paramRef';
  const onAll = 'permission for all groups, versions and resources';
  const why = 'to determine minimum required permissions and';
  const any = { readOnly: true, apiGroup: '*', apiVersion: '*', resource: '*', namespace: '' };

  it.each<[string, ReturnType<typeof binding>, object, string, string?]>([
    [
      'to one object',
      binding('known', { name: 'n', namespace: 'ns' }),
      {
        verb: 'get',
        readOnly: true,
        apiGroup: 'example.com',
        apiVersion: 'v1',
        resource: 'limits',
        namespace: 'ns',
        name: 'n',
      },
      `user ${TEXT} does not have "get" ${onObject}`,
      'limits',
    ],
    [
      'to selected objects',
      binding('known', {}),
      {
        verb: 'list',
        readOnly: true,
        apiGroup: 'example.com',
        apiVersion: 'v1',
        resource: 'limits',
        namespace: '',
        name: '',
      },
      `user ${TEXT} does not have "list" ${onObject}`,
      'limits',
    ],
    [
      'of a policy that does not exist',
      binding('unknown', { name: 'n' }),
      { ...any, verb: 'get', name: 'n' },
      `unable to get policy unknown ${why} user ${TEXT} does not have "get" ${onAll}`,
    ],
    [
      'of a policy without parameters',
      binding('bare', { name: 'n' }),
      { ...any, verb: 'get', name: 'n' },
      `user ${TEXT} does not have "get" ${onObject}`,
    ],
    [
      'of a kind without a version',
      binding('odd', { name: 'n' }),
      { ...any, verb: 'get', name: 'n' },
      `unable to parse paramKind &{a/b/c Limit} ${why} user ${TEXT} does not have "get" ${onAll}`,
    ],
    [
      'of an unknown kind',
      binding('known', {}),
      { ...any, apiGroup: 'example.com', apiVersion: 'v1', verb: 'list', name: '' },
      `unable to resolve paramKind &{example.com/v1 Limit} ${why} user ${TEXT} does not have "list" ${onAll}`,
    ],
  ])('%s', async (_what, object, question, ...[refusal, resource]) => {
    const { bindings, asked } = server('NoOpinion', resource);
    const errors = await bindings.validateInTurns?.(as(ALICE), object, object, []);
    expect(errors?.map(({ field, detail }) => [field, detail])).toEqual([['spec.paramRef', refusal]]);
    expect(asked).toEqual([question]);
    expect(await server('Allow', resource).bindings.validateInTurns?.(as(ALICE), object, undefined, [])).toEqual([]);
  });

  it('that cannot be decided on', async () => {
    const { bindings } = server(new Error('the authorizer is away'), 'limits');
    const errors = await bindings.validateInTurns?.(as(ALICE), binding('known', {}), undefined, []);
    expect(errors?.map(({ detail }) => detail)).toEqual(['failed to authorize request: the authorizer is away']);
  });

  it('is not asked about where there is none', async () => {
    const { bindings, asked } = server('NoOpinion');
    expect(await bindings.validateInTurns?.(as(ALICE), binding('known'), undefined, [])).toEqual([]);
    expect(asked).toEqual([]);
  });
});
