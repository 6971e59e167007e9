import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
} from '@apiserver/api/admissionregistration/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { validatingAdmissionPolicyDeclaration } from './index.js';
import { validatingAdmissionPolicyStatusStrategy } from './strategy.js';

const context = testContext({ namespace: '' });
const { strategy, versions } = validatingAdmissionPolicyDeclaration;

const RULE = { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const MATCH = { resourceRules: [RULE] };
const PARAMS = { apiVersion: 'example.com/v1', kind: 'Limit' };

function policy(spec: ValidatingAdmissionPolicySpec): ValidatingAdmissionPolicy {
  const made: ValidatingAdmissionPolicy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p.example.com', uid: 'u', resourceVersion: '1' },
    spec: structuredClone(spec),
    status: {},
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

async function createErrors(object: ValidatingAdmissionPolicy): Promise<string> {
  await strategy.prepareForCreate?.(context, object);
  return aggregateFieldErrors(strategy.validate(context, object));
}

async function updateErrors(object: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy): Promise<string> {
  await strategy.prepareForUpdate?.(context, object, old);
  return aggregateFieldErrors(strategy.validateUpdate(context, object, old));
}

const TRUE = { expression: 'true' };
const AT = 'spec.validations[0]';
const BOTH = 'validations or auditAnnotations must contain at least one item';
const undeclared = (name: string, expression: string, column: number) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')\n | ${expression}\n | ${'.'.repeat(column - 1)}^`;

describe('a new policy', () => {
  it.each<[string, ValidatingAdmissionPolicySpec, string]>([
    ['a valid one', { matchConstraints: MATCH, validations: [TRUE] }, ''],
    [
      'all kinds of expressions',
      {
        paramKind: PARAMS,
        matchConstraints: MATCH,
        matchConditions: [
          { name: 'c', expression: 'params.on && authorizer.group("").resource("pods").check("get").allowed()' },
        ],
        variables: [
          { name: 'first', expression: 'object.spec' },
          { name: 'second', expression: 'variables.first.replicas' },
        ],
        validations: [{ expression: 'variables.second < 3', messageExpression: '"at most " + string(params.max)' }],
        auditAnnotations: [{ key: 'k', valueExpression: ' string(variables.second) ' }],
      },
      '',
    ],
    [
      'nothing',
      {},
      `[spec.matchConstraints: Required value, spec.validations: Required value: ${BOTH}, spec.auditAnnotations: Required value: ${BOTH}]`,
    ],
    [
      'no rules',
      { matchConstraints: {}, validations: [TRUE], failurePolicy: 'x' },
      '[spec.failurePolicy: Unsupported value: "x": supported values: "Fail", "Ignore", spec.matchConstraints.resourceRules: Required value]',
    ],
    [
      'wrong kinds of parameters',
      { paramKind: { apiVersion: 'a/b/c', kind: '-' }, matchConstraints: MATCH, validations: [TRUE] },
      '[spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c, spec.paramKind.kind: Invalid value: "-": ' +
        "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
        "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')]",
    ],
    [
      'no version of parameters',
      { paramKind: { apiVersion: 'example.com/' }, matchConstraints: MATCH, validations: [TRUE] },
      '[spec.paramKind.apiVersion: Invalid value: "example.com/": version must be specified, spec.paramKind.kind: Required value]',
    ],
    [
      'repeated resource names',
      { matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['a', 'a', '..'] }] }, validations: [TRUE] },
      '[spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a", spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "..": may not be \'..\']',
    ],
    [
      'wrong excluded rules',
      { matchConstraints: { ...MATCH, excludeResourceRules: [{ ...RULE, operations: [] }] }, validations: [TRUE] },
      'spec.matchConstraints.excludeResourceRules[0].operations: Required value',
    ],
    [
      'wrong expressions',
      {
        matchConstraints: MATCH,
        validations: [{ expression: ' nothing', messageExpression: '1', reason: '<Conflict' }, { expression: ' ' }],
      },
      `[${AT}.expression: Invalid value: " nothing": ${undeclared('nothing', ' nothing', 2)}, ${AT}.messageExpression: Invalid value: "1": must evaluate to string but got int, ` +
        `${AT}.reason: Unsupported value: "\\u003cConflict": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", spec.validations[1].expression: Required value: expression is not specified]`,
    ],
    [
      'wrong messages',
      {
        matchConstraints: MATCH,
        validations: [
          { ...TRUE, message: ' ', messageExpression: ' ' },
          { ...TRUE, message: 'a\nb' },
        ],
      },
      `[${AT}.messageExpression: Invalid value: " ": must be non-empty if specified, ${AT}.message: Invalid value: " ": must be non-empty if specified, spec.validations[1].message: Invalid value: "a\\nb": must not contain line breaks]`,
    ],
    [
      'params of no kind',
      { matchConstraints: MATCH, validations: [{ expression: 'params == null' }] },
      `${AT}.expression: Invalid value: "params == null": ${undeclared('params', 'params == null', 1)}`,
    ],
    [
      'an authorizer in a message',
      { matchConstraints: MATCH, validations: [{ ...TRUE, messageExpression: 'string(authorizer == null)' }] },
      `${AT}.messageExpression: Invalid value: "string(authorizer == null)": ${undeclared('authorizer', 'string(authorizer == null)', 8)}`,
    ],
    [
      'variables in a match condition',
      {
        matchConstraints: MATCH,
        matchConditions: [{ name: 'c', expression: 'variables.a' }],
        variables: [{ name: 'a', expression: 'true' }],
        validations: [TRUE],
      },
      `spec.matchConditions[0].expression: Invalid value: "variables.a": ${undeclared('variables', 'variables.a', 1)}`,
    ],
    [
      'wrong variables',
      {
        matchConstraints: MATCH,
        variables: [
          { name: 'in', expression: 'true' },
          { name: ' ', expression: '' },
          { name: 'a-b', expression: 'variables.later' },
          { name: 'later', expression: '1' },
        ],
        validations: [TRUE],
      },
      '[spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier, spec.variables[1].name: Required value: name is not specified, ' +
        'spec.variables[1].expression: Required value: expression is not specified, spec.variables[2].name: Invalid value: "a-b": must be a valid CEL identifier, ' +
        'spec.variables[2].expression: Invalid value: "variables.later": compilation failed: ERROR: <input>:1:10: undefined field \'later\'\n | variables.later\n | .........^]',
    ],
    [
      'wrong audit annotations',
      {
        matchConstraints: MATCH,
        auditAnnotations: [
          { key: 'k', valueExpression: ' 1 ' },
          { key: 'k', valueExpression: '' },
          { key: 'l', valueExpression: `'${'x'.repeat(5200)}'` },
        ],
      },
      '[spec.auditAnnotations[0].valueExpression: Invalid value: " 1 ": must evaluate to one of [string null_type] but got int, ' +
        'spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified, spec.auditAnnotations[1].key: Duplicate value: "k", ' +
        'spec.auditAnnotations[2].valueExpression: Required value: must not exceed 5120 bytes in length]',
    ],
  ])('%s', async (_what, spec, message) => {
    expect(await createErrors(policy(spec))).toBe(message);
  });

  it('has at most 20 audit annotations', async () => {
    const auditAnnotations = Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'v'" }));
    const message = await createErrors(policy({ matchConstraints: MATCH, auditAnnotations }));
    expect(message).toContain(`spec.auditAnnotations: Invalid value: [{"Key":"k0","ValueExpression":"'v'"},`);
    expect(message).toContain('must not have more than 20 auditAnnotations');
  });

  it('has a name that audit annotations can have', async () => {
    const object = policy({ matchConstraints: MATCH, auditAnnotations: [{ key: 'a b', valueExpression: "'v'" }] });
    expect(await createErrors(object)).toContain('spec.auditAnnotations[0].key: Invalid value: "p.example.com/a b"');
    delete object.metadata.name;
    expect(await createErrors(object)).toContain(
      'spec.auditAnnotations[0].key: Invalid value: "a b": requires metadata.name be non-empty',
    );
  });
});

describe('a stored policy', () => {
  const WRONG = [{ name: 'c', expression: 'nothing' }];
  const stored = { matchConstraints: MATCH, matchConditions: WRONG, validations: [TRUE] };

  it('keeps wrong match conditions, but no other wrong expressions', async () => {
    expect(await createErrors(policy(stored))).toContain("undeclared reference to 'nothing'");
    expect(await updateErrors(policy({ ...stored, failurePolicy: 'Ignore' }), policy(stored))).toBe('');
    const wrong = { ...stored, validations: [{ expression: 'nothing' }] };
    expect(await updateErrors(policy(wrong), policy(wrong))).toContain(`${AT}.expression: Invalid value: "nothing"`);
  });

  it('has its match conditions validated with a change to them or to the kind of parameters', async () => {
    const fault = 'spec.matchConditions[0].expression: Invalid value: "nothing"';
    expect(await updateErrors(policy({ ...stored, paramKind: PARAMS }), policy(stored))).toContain(fault);
    const more = { ...stored, matchConditions: [...WRONG, { name: 'd', expression: 'true' }] };
    expect(await updateErrors(policy(more), policy(stored))).toContain(fault);
  });

  it('keeps its status, and counts changes of its spec', async () => {
    const old = policy(stored);
    await strategy.prepareForCreate?.(context, old);
    old.status = { observedGeneration: 1 };
    const changed = policy({ ...stored, failurePolicy: 'Ignore' });
    await strategy.prepareForUpdate?.(context, changed, old);
    expect([old.metadata.generation, changed.metadata.generation, changed.status]).toEqual([
      1,
      2,
      { observedGeneration: 1 },
    ]);
  });
});

describe('a status', () => {
  const report = (status: ValidatingAdmissionPolicyStatus): ValidatingAdmissionPolicy => ({ ...policy({}), status });

  it('is cleared in a new policy', async () => {
    const object = report({ observedGeneration: 3 });
    await strategy.prepareForCreate?.(context, object);
    expect(object.status).toEqual({});
  });

  it('changes nothing else', async () => {
    const object = report({ observedGeneration: 3 });
    object.metadata.labels = { a: 'b' };
    const old = policy({ failurePolicy: 'Ignore' });
    await validatingAdmissionPolicyStatusStrategy.prepareForUpdate?.(context, object, old);
    expect(object).toEqual({ ...old, status: { observedGeneration: 3 } });
  });

  it('has complete warnings and conditions', () => {
    const object = report({
      typeChecking: {
        expressionWarnings: [
          { fieldRef: ' ', warning: '' },
          { fieldRef: 'spec.validations[0].expression', warning: 'w' },
          { fieldRef: ' spec.validations[0', warning: 'w' },
        ],
      },
      conditions: [{ type: '', status: 'x', reason: '', message: '', lastTransitionTime: null }],
    });
    const at = 'status.typeChecking.expressionWarnings[0]';
    const message = aggregateFieldErrors(
      validatingAdmissionPolicyStatusStrategy.validateUpdate(context, object, object),
    );
    const unparsed =
      'status.typeChecking.expressionWarnings[2].fieldRef: Invalid value: "spec.validations[0": ' +
      'invalid JSONPath: unterminated array';
    expect(message).toContain(
      `[${at}.warning: Required value, ${at}.fieldRef: Required value, ${unparsed}, status.conditions[0].`,
    );
  });
});
