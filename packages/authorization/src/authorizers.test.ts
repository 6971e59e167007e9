import type { AuthorizationResult, Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import {
  alwaysAllow,
  alwaysDeny,
  authorizationChain,
  type ChainLink,
  type ModeSettings,
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
  'a chain of AlwaysDeny',
  () => authorizationChain([{ type: 'AlwaysDeny', name: 'alwaysdeny', authorizer: alwaysDeny() }]).authorizer,
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

  it('is remote if one of its authorizers is', () => {
    const remote: Authorizer = { ...alwaysAllow(), isRemote: true };
    expect([[], [alwaysDeny()], [alwaysDeny(), remote]].map((all) => unionAuthorizer(all).isRemote)).toEqual([
      false,
      false,
      true,
    ]);
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

describe('authorizationChain', () => {
  const link = (type: string, authorizer: Authorizer & RuleResolver) => ({
    type,
    name: type.toLowerCase(),
    authorizer,
  });

  it('allows system:masters before any other authorizer', async () => {
    const { authorizer } = authorizationChain([link('AlwaysDeny', alwaysDeny())]);
    expect(await authorizer.authorize(root)).toEqual({ decision: 'Allow', reason: '' });
    expect(await authorizer.authorize(testAttributes())).toEqual({
      decision: 'NoOpinion',
      reason: 'Everything is forbidden.',
    });
  });

  it('counts decisions by authorizer, but no missing opinions', async () => {
    const counted: string[] = [];
    const soon: Authorizer & RuleResolver = { ...alwaysDeny(), ...later({ decision: 'Deny', reason: '' }) };
    const chain = (...links: readonly ChainLink[]) =>
      authorizationChain(
        links,
        ({ type, name }) =>
          (decision) =>
            counted.push(`${type} ${name} ${decision}`),
      ).authorizer;
    await chain(link('AlwaysDeny', alwaysDeny()), link('AlwaysAllow', alwaysAllow())).authorize(testAttributes());
    await chain(link('Webhook', soon), link('AlwaysAllow', alwaysAllow())).authorize(testAttributes());
    await chain(link('Webhook', soon)).authorize(root);
    expect(counted).toEqual(['AlwaysAllow alwaysallow Allow', 'Webhook webhook Deny']);
  });

  it('lists the rules of all authorizers in order, and none for system:masters', async () => {
    const some = {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [],
      incomplete: true,
      errors: [new Error('gone')],
    };
    const rbac = { ...alwaysDeny(), rulesFor: async () => some };
    const list = (...authorizers: readonly (Authorizer & RuleResolver)[]) =>
      authorizationChain(authorizers.map((one) => link('X', one))).ruleResolver.rulesFor(root.user, 'ns');
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] };
    expect(await list(rbac, alwaysDeny(), alwaysAllow())).toEqual({
      ...some,
      resourceRules: [...some.resourceRules, everything],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    });
    expect(await list(alwaysDeny())).toMatchObject({ resourceRules: [], incomplete: false });
  });
});

describe('validateAuthorizationModes', () => {
  const available = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'Node'] as const;
  it.each<[string[], Omit<ModeSettings, 'available'>, string[]]>([
    [[], {}, ['at least one authorization-mode must be passed']],
    [['AlwaysAllow'], {}, []],
    [['Nope'], {}, ['authorization-mode "Nope" is not a valid mode']],
    [['RBAC'], {}, ['authorization-mode "RBAC" is not available in this server yet']],
    [
      ['AlwaysDeny', 'AlwaysDeny'],
      {},
      ['authorization-mode ["AlwaysDeny" "AlwaysDeny"] has mode specified more than once'],
    ],
    [['Node', 'ABAC', 'Webhook'], { policyFile: 'p', webhookConfigFile: 'w' }, []],
    [
      ['Webhook', 'ABAC', 'X'],
      {},
      [
        "authorization-mode Webhook's authorization config file not passed",
        "authorization-mode ABAC's authorization policy file not passed",
        'authorization-mode "X" is not a valid mode',
      ],
    ],
    [
      ['Node'],
      { policyFile: 'p', webhookConfigFile: 'w' },
      [
        'cannot specify --authorization-policy-file without mode ABAC',
        'cannot specify --authorization-webhook-config-file without mode Webhook',
      ],
    ],
  ])('%j with %j', (modes, settings, errors) => {
    expect(validateAuthorizationModes(modes, { available, ...settings })).toEqual(errors);
  });
});
