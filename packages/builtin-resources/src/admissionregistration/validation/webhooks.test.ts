import type { MutatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import {
  mutatingWebhookConfigurationDeclaration,
  mutatingWebhookConfigurations,
} from '../mutating-webhook-configuration/index.js';
import { validatingWebhookConfigurationDeclaration } from '../validating-webhook-configuration/index.js';

const context = testContext({ namespace: '' });
const { strategy, versions } = mutatingWebhookConfigurationDeclaration;

type Webhook = NonNullable<MutatingWebhookConfiguration['webhooks']>[number];

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const WEBHOOK: Webhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/hook' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

function configuration(...webhooks: Webhook[]): MutatingWebhookConfiguration {
  const made: MutatingWebhookConfiguration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'c', uid: 'u', resourceVersion: '1' },
    webhooks,
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

async function createErrors(object: MutatingWebhookConfiguration): Promise<string> {
  await strategy.prepareForCreate?.(context, object);
  return aggregateFieldErrors(strategy.validate(context, object));
}

async function updateErrors(object: MutatingWebhookConfiguration, old: MutatingWebhookConfiguration): Promise<string> {
  await strategy.prepareForUpdate?.(context, object, old);
  return aggregateFieldErrors(strategy.validateUpdate(context, object, old));
}

const AT = 'webhooks[0]';
const RULE_AT = `${AT}.rules[0]`;
const WRONG = { name: 'm', expression: ' object.x == ' };
const FAULT = `${AT}.matchConditions[0].expression: Invalid value: "object.x ==": compilation failed: ERROR: <input>:1:12: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
 | object.x ==
 | ...........^`;

describe('a new webhook', () => {
  it.each<[string, Partial<Webhook>, string]>([
    ['a valid one', { rules: [RULE] }, ''],
    ['no name', { name: '' }, `${AT}.name: Required value`],
    [
      'a short name',
      { name: 'a.b' },
      `${AT}.name: Invalid value: "a.b": should be a domain with at least three segments separated by dots`,
    ],
    [
      'empty rules',
      { rules: [{}] },
      `[${RULE_AT}.operations: Required value, ${RULE_AT}.apiGroups: Required value, ${RULE_AT}.apiVersions: Required value, ${RULE_AT}.resources: Required value]`,
    ],
    [
      'wildcards beside others',
      {
        rules: [
          { operations: ['*', 'CREATE'], apiGroups: ['*', 'a'], apiVersions: ['*', ''], resources: ['*/*', 'a'] },
        ],
      },
      `[${RULE_AT}.operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations, ` +
        `${RULE_AT}.apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups, ` +
        `${RULE_AT}.apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions, ` +
        `${RULE_AT}.apiVersions[1]: Required value, ` +
        `${RULE_AT}.resources: Invalid value: ["*/*","a"]: if '*/*' is present, must not specify other resources]`,
    ],
    [
      'resources that wildcards before them cover',
      { rules: [{ ...RULE, resources: ['a/*', 'a/b', '*/c', 'd/c', '', '*', 'e'] }] },
      `[${RULE_AT}.resources[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b, ` +
        `${RULE_AT}.resources[3]: Invalid value: "d/c": if '*/c' is present, must not specify d/c, ` +
        `${RULE_AT}.resources[4]: Required value, ` +
        `${RULE_AT}.resources: Invalid value: ["a/*","a/b","*/c","d/c","","*","e"]: if '*' is present, must not specify other resources without subresources]`,
    ],
    ['a wildcard after a resource', { rules: [{ ...RULE, resources: ['e', '*'] }] }, ''],
    [
      'unknown values',
      {
        rules: [{ ...RULE, operations: ['<PATCH'], scope: '<World' }],
        failurePolicy: '<a',
        matchPolicy: '<b',
        reinvocationPolicy: '<c',
      },
      `[${RULE_AT}.operations[0]: Unsupported value: "\\u003cPATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE", ` +
        `${RULE_AT}.scope: Unsupported value: "\\u003cWorld": supported values: "*", "Cluster", "Namespaced", ` +
        `${AT}.failurePolicy: Unsupported value: "\\u003ca": supported values: "Fail", "Ignore", ` +
        `${AT}.matchPolicy: Unsupported value: "\\u003cb": supported values: "Equivalent", "Exact", ` +
        `${AT}.reinvocationPolicy: Unsupported value: "\\u003cc": supported values: "IfNeeded", "Never"]`,
    ],
    [
      'no side effects told',
      { sideEffects: null },
      `${AT}.sideEffects: Required value: must specify one of None, NoneOnDryRun`,
    ],
    [
      'side effects',
      { sideEffects: 'Some' },
      `${AT}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
    ],
    [
      'unknown side effects',
      { sideEffects: '<None>' },
      `${AT}.sideEffects: Unsupported value: "\\u003cNone\\u003e": supported values: "None", "NoneOnDryRun"`,
    ],
    [
      'a long timeout',
      { timeoutSeconds: 31 },
      `${AT}.timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`,
    ],
    [
      'no address',
      { clientConfig: {} },
      `${AT}.clientConfig: Required value: exactly one of url or service is required`,
    ],
    [
      'an address without TLS',
      { clientConfig: { url: 'http://example.com' } },
      `${AT}.clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ],
    [
      'a service without a name: upstream names the other field',
      { clientConfig: { service: { name: '', namespace: 'n' } } },
      `${AT}.clientConfig.service.namespace: Required value`,
    ],
    [
      'a service without a namespace',
      { clientConfig: { service: { name: 'n', namespace: '' } } },
      `${AT}.clientConfig.service.name: Required value`,
    ],
    [
      'no versions',
      { admissionReviewVersions: [] },
      `${AT}.admissionReviewVersions: Required value: must specify one of v1, v1beta1`,
    ],
    [
      'unknown and repeated versions',
      { admissionReviewVersions: ['v2', 'v2'] },
      `[${AT}.admissionReviewVersions[1]: Invalid value: "v2": duplicate version, ${AT}.admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1]`,
    ],
    ['a wrong condition', { matchConditions: [WRONG] }, FAULT],
    [
      'conditions without names and expressions',
      {
        matchConditions: [
          { name: '', expression: 'true' },
          { name: 'a', expression: ' ' },
          { name: 'a', expression: '1' },
        ],
      },
      `[${AT}.matchConditions[0].name: Required value, ${AT}.matchConditions[1].expression: Required value, ` +
        `${AT}.matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int, ${AT}.matchConditions[2].name: Duplicate value: "a"]`,
    ],
    [
      'too many conditions',
      { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) },
      `${AT}.matchConditions: Too many: 65: must have at most 64 items`,
    ],
  ])('%s', async (_what, webhook, message) => {
    expect(await createErrors(configuration({ ...WEBHOOK, ...webhook }))).toBe(message);
  });

  it('has a name of its own', async () => {
    expect(await createErrors(configuration(WEBHOOK, WEBHOOK))).toBe(
      'webhooks[1].name: Duplicate value: "a.example.com"',
    );
  });

  it('may read neither params nor variables', async () => {
    const conditions = [{ name: 'a', expression: 'params.a && variables.b' }];
    const message = await createErrors(configuration({ ...WEBHOOK, matchConditions: conditions }));
    expect(message).toContain("undeclared reference to 'params'");
    expect(message).toContain("undeclared reference to 'variables'");
  });
});

describe('a stored webhook', () => {
  const LABELS = { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] };
  it.each<[string, Partial<Webhook>]>([
    ['keeps its side effects', { sideEffects: 'Some' }],
    ['keeps unknown versions', { admissionReviewVersions: ['v2'] }],
    ['keeps values that no label can have', { objectSelector: LABELS }],
    ['keeps wrong conditions', { matchConditions: [WRONG, WRONG] }],
  ])('%s', async (_what, webhook) => {
    const old = configuration({ ...WEBHOOK, ...webhook });
    const changed = configuration({ ...WEBHOOK, ...webhook, timeoutSeconds: 5 });
    expect(await updateErrors(changed, old)).toBe('');
    expect(await createErrors(configuration({ ...WEBHOOK, ...webhook }))).not.toBe('');
  });

  it('keeps a repeated name', async () => {
    const old = configuration(WEBHOOK, WEBHOOK);
    expect(await updateErrors(configuration(WEBHOOK, WEBHOOK, WEBHOOK), old)).toBe('');
  });

  it('has its conditions validated with any change to them', async () => {
    const old = configuration({ ...WEBHOOK, matchConditions: [WRONG] });
    const more = configuration({ ...WEBHOOK, matchConditions: [WRONG, { name: 'n', expression: 'true' }] });
    expect(await updateErrors(more, old)).toBe(FAULT);
    expect(
      await updateErrors(
        configuration({ ...WEBHOOK, matchConditions: [WRONG] }, { ...WEBHOOK, name: 'b.example.com' }),
        old,
      ),
    ).toBe(FAULT);
  });
});

it('has defaults', () => {
  const clientConfig = { service: { namespace: 'n', name: 's' } };
  const bare = { name: 'a', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [{}] };
  const defaulted = [mutatingWebhookConfigurationDeclaration, validatingWebhookConfigurationDeclaration].map(
    (declaration) => {
      const made = { ...configuration(), webhooks: [structuredClone(bare)] };
      declaration.versions[0]?.applyDefaults?.(made);
      return made.webhooks;
    },
  );
  const webhook = {
    ...bare,
    clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
    rules: [{ scope: '*' }],
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    namespaceSelector: {},
    objectSelector: {},
  };
  expect(defaulted).toEqual([[{ ...webhook, reinvocationPolicy: 'Never' }], [webhook]]);
});

it('counts changes of webhooks', async () => {
  const [made, changed, same] = [
    configuration(WEBHOOK),
    configuration({ ...WEBHOOK, timeoutSeconds: 5 }),
    configuration(WEBHOOK),
  ];
  await strategy.prepareForCreate?.(context, made);
  same.metadata.generation = made.metadata.generation ?? 0;
  await strategy.prepareForUpdate?.(context, same, made);
  await strategy.prepareForUpdate?.(context, changed, made);
  expect([made, same, changed].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2]);
});

it('reserves names for files', async () => {
  const object = configuration(WEBHOOK);
  object.metadata.name = 'a.static.k8s.io';
  const text =
    'names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API';
  const [warning, refusal] = [false, true].map(
    (enabled) => mutatingWebhookConfigurations({ enabled: () => enabled }).strategy,
  );
  await strategy.prepareForCreate?.(context, object);
  expect(warning?.warningsOnCreate?.(context, object)).toEqual([`metadata.name: ${text}`]);
  expect(aggregateFieldErrors(warning?.validate(context, object) ?? [])).toBe('');
  expect(refusal?.warningsOnCreate?.(context, object)).toBeUndefined();
  expect(aggregateFieldErrors(refusal?.validate(context, object) ?? [])).toBe(
    `metadata.name: Invalid value: "a.static.k8s.io": ${text}`,
  );
  expect(refusal?.warningsOnUpdate?.(context, object, object)).toEqual([`metadata.name: ${text}`]);
});
