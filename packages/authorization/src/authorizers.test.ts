import type { AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import {
  alwaysAllow,
  alwaysDeny,
  authorizationFromModes,
  privilegedGroupsAuthorizer,
  unionAuthorizer,
  validateAuthorizationModes,
} from './index.js';
import { authorizerSuite, testAttributes } from './testing/index.js';

authorizerSuite('AlwaysAllow', alwaysAllow);
authorizerSuite('AlwaysDeny', alwaysDeny);
authorizerSuite('privileged groups', () => privilegedGroupsAuthorizer(['system:masters']));
authorizerSuite('a union', () => unionAuthorizer([alwaysDeny(), later({ decision: 'NoOpinion', reason: 'no rule' })]));
authorizerSuite(
  'the modes AlwaysDeny,AlwaysAllow',
  () => authorizationFromModes(['AlwaysDeny', 'AlwaysAllow']).authorizer,
);

function later(result: AuthorizationResult): Authorizer {
  return { authorize: async () => result };
}

function now(result: AuthorizationResult): Authorizer {
  return { authorize: () => result };
}

const root = testAttributes({ user: { name: 'root', groups: ['a', 'system:masters'], extra: {} } });

describe('unionAuthorizer', () => {
  const boom = new Error('boom');
  const bang = new Error('bang');
  const cases: readonly [string, Authorizer[], AuthorizationResult][] = [
    ['nobody', [], { decision: 'NoOpinion', reason: '' }],
    [
      'first allow wins over a later deny',
      [now({ decision: 'NoOpinion', reason: 'x' }), now({ decision: 'Allow', reason: 'ok' }), alwaysDeny()],
      { decision: 'Allow', reason: 'ok' },
    ],
    [
      'first deny wins over a later allow',
      [later({ decision: 'Deny', reason: 'never' }), alwaysAllow()],
      { decision: 'Deny', reason: 'never' },
    ],
    [
      'reasons in order, one per line',
      [now({ decision: 'NoOpinion', reason: 'a' }), alwaysDeny(), later({ decision: 'NoOpinion', reason: '' })],
      { decision: 'NoOpinion', reason: 'a\nEverything is forbidden.' },
    ],
  ];
  it.each(cases)('%s', async (_, authorizers, expected) => {
    expect(await unionAuthorizer(authorizers).authorize(testAttributes())).toEqual(expected);
  });

  it('aggregates the errors of authorizers without an opinion', async () => {
    const union = unionAuthorizer([
      now({ decision: 'NoOpinion', reason: 'a', error: boom }),
      later({ decision: 'NoOpinion', reason: 'b', error: bang }),
    ]);
    const result = await union.authorize(testAttributes());
    expect([result.decision, result.reason, result.error?.message]).toEqual(['NoOpinion', 'a\nb', '[boom, bang]']);
  });

  it('stays synchronous while the authorizers do', () => {
    expect(unionAuthorizer([alwaysDeny(), alwaysAllow()]).authorize(testAttributes())).toEqual({
      decision: 'Allow',
      reason: '',
    });
  });
});

describe('authorizationFromModes', () => {
  it('allows system:masters before any mode', async () => {
    const { authorizer } = authorizationFromModes(['AlwaysDeny']);
    expect(await authorizer.authorize(root)).toEqual({ decision: 'Allow', reason: '' });
    expect(await authorizer.authorize(testAttributes())).toEqual({
      decision: 'NoOpinion',
      reason: 'Everything is forbidden.',
    });
  });

  it('accepts modes with a given factory', async () => {
    const rbac = { ...alwaysDeny(), ...now({ decision: 'Deny', reason: 'rbac' }) };
    const { authorizer } = authorizationFromModes(['RBAC'], { RBAC: () => rbac });
    expect(await authorizer.authorize(testAttributes())).toEqual({ decision: 'Deny', reason: 'rbac' });
  });

  it('lists the rules of all modes in order, and none for system:masters', async () => {
    const some = {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [],
      incomplete: true,
      errors: [new Error('gone')],
    };
    const rbac = { ...alwaysDeny(), rulesFor: async () => some };
    const list = (modes: readonly string[]) =>
      authorizationFromModes(modes, { RBAC: () => rbac }).ruleResolver.rulesFor(root.user, 'ns');
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] };
    expect(await list(['RBAC', 'AlwaysDeny', 'AlwaysAllow'])).toEqual({
      ...some,
      resourceRules: [...some.resourceRules, everything],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    });
    expect(await list(['AlwaysDeny'])).toMatchObject({ resourceRules: [], incomplete: false });
  });
});

describe('validateAuthorizationModes', () => {
  it.each<[string[], string[]]>([
    [[], ['at least one authorization-mode must be passed']],
    [['AlwaysAllow'], []],
    [['Nope'], ['authorization-mode "Nope" is not a valid mode']],
    [['RBAC'], ['authorization-mode "RBAC" is not available in this server yet']],
    [
      ['AlwaysDeny', 'AlwaysDeny'],
      ['authorization-mode ["AlwaysDeny" "AlwaysDeny"] has mode specified more than once'],
    ],
  ])('%j', (modes, errors) => {
    expect(validateAuthorizationModes(modes)).toEqual(errors);
  });

  it('accepts modes that will get a factory', () => {
    expect(validateAuthorizationModes(['RBAC'], ['RBAC'])).toEqual([]);
  });
});
