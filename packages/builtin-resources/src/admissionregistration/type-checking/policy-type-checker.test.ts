import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from '@apiserver/api/admissionregistration/v1';
import type { GroupVersionKind, GroupVersionResource } from '@apiserver/apimachinery';
import { describe, expect, it } from 'vitest';
import { kindsToCheck } from './kinds-to-check.js';
import { type OpenApiDocument, type OpenApiSchema, schemaOfKind } from './open-api-types.js';
import { PolicyTypeChecker } from './policy-type-checker.js';

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' };
const POD = { group: '', version: 'v1', kind: 'Pod' };
const LIMIT = { group: 'example.com', version: 'v1', kind: 'Limit' };
const KINDS: Readonly<Record<string, readonly GroupVersionKind[]>> = {
  'apps/v1/deployments': [DEPLOYMENT],
  '/v1/pods': [POD],
  '/v1/events': [
    { ...POD, kind: 'Event' },
    { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
  ],
};
const kindsOf = async ({ group, version, resource }: GroupVersionResource) =>
  KINDS[`${group}/${version}/${resource}`] ?? [];

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  operations: ['*'],
  apiGroups,
  apiVersions,
  resources,
});
const matching = (...resourceRules: ReturnType<typeof rule>[]) => ({ matchConstraints: { resourceRules } });
const DEPLOYMENTS = matching(rule(['apps'], ['v1'], ['deployments']));

describe('the kinds to check', () => {
  const EVENTS = KINDS['/v1/events'] ?? [];
  it.each<[string, ValidatingAdmissionPolicySpec, readonly GroupVersionKind[]]>([
    ['none', {}, []],
    ['those of resources, sorted', matching(rule(['apps', ''], ['v1'], ['pods', 'deployments'])), [POD, DEPLOYMENT]],
    ['those of all groups for the core group', matching(rule([''], ['v1'], ['events'])), EVENTS],
    ['once', matching(rule(['apps'], ['v1'], ['deployments']), rule(['apps'], ['v1'], ['deployments'])), [DEPLOYMENT]],
    ['none of a wildcard', matching(rule(['*'], ['v1'], ['pods']), rule(['apps'], ['v*'], ['deployments'])), []],
    [
      'none of subresources and wildcards',
      matching(rule(['', 'apps'], ['v1'], ['pods/*', '*', 'deployments'])),
      [DEPLOYMENT],
    ],
  ])('%s', async (_what, spec, kinds) => {
    expect(await kindsToCheck(spec, kindsOf)).toEqual(kinds);
  });

  it('are at most ten of a rule, which is the last one then', async () => {
    const many = Array.from({ length: 12 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    const kinds = await kindsToCheck(
      matching(rule(['g'], ['v1'], many), rule(['apps'], ['v1'], ['deployments'])),
      async ({ group, version, resource }) => [{ group, version, kind: resource }],
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(many.slice(0, 10));
  });
});

/** A document with one kind. */
function documentOf(
  kind: GroupVersionKind,
  schema: OpenApiSchema,
  others: Record<string, OpenApiSchema> = {},
): OpenApiDocument {
  return { components: { schemas: { ...others, Kind: { ...schema, 'x-kubernetes-group-version-kind': [kind] } } } };
}

describe('the schema of a kind', () => {
  it('has no references', () => {
    const schema: OpenApiSchema = {
      type: 'object',
      properties: {
        port: { allOf: [{ $ref: '#/components/schemas/Port' }] },
        ports: { type: 'array', items: { $ref: '#/components/schemas/Port' } },
        named: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Port' } },
        any: { type: 'object', additionalProperties: true },
        self: { $ref: '#/components/schemas/Kind' },
        lost: { $ref: '#/components/schemas/Lost' },
      },
    };
    const port = { format: 'int-or-string', 'x-kubernetes-int-or-string': true };
    expect(
      schemaOfKind(documentOf(DEPLOYMENT, schema, { Port: { format: 'int-or-string' } }), DEPLOYMENT),
    ).toMatchObject({
      properties: {
        port,
        ports: { type: 'array', items: port },
        named: { type: 'object', additionalProperties: port },
        any: { type: 'object', additionalProperties: true },
        self: { type: 'object' },
        lost: {},
      },
    });
  });

  it('is unknown in the document of another', () => {
    expect(schemaOfKind(documentOf(POD, {}), DEPLOYMENT)).toBeUndefined();
    expect(schemaOfKind({}, DEPLOYMENT)).toBeUndefined();
  });
});

describe('the check of types', () => {
  const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({ type: 'object', properties });
  const documents: Record<string, OpenApiDocument> = {
    apps: documentOf(DEPLOYMENT, object({ spec: object({ replicas: { type: 'integer' }, name: { type: 'string' } }) })),
    '': documentOf(POD, object({ spec: object({ name: { type: 'string' } }) })),
    'example.com': documentOf(LIMIT, object({ max: { type: 'integer' } })),
  };
  const checker = new PolicyTypeChecker({ kindsOf, openApiOf: async ({ group }) => documents[group] });
  const check = (spec: ValidatingAdmissionPolicySpec) => checker.check({ spec } as ValidatingAdmissionPolicy);
  const validations = (expression: string, messageExpression = '') => [{ expression, messageExpression }];
  const EXPRESSION = 'spec.validations[0].expression';

  it.each<[string, ValidatingAdmissionPolicySpec]>([
    [
      'right expressions',
      { ...DEPLOYMENTS, validations: validations('object.spec.replicas > 1', 'oldObject.spec.name') },
    ],
    ['expressions of any type', { ...DEPLOYMENTS, validations: validations('object.spec.replicas') }],
    ['kinds that nothing serves', { ...matching(rule(['g'], ['v1'], ['r'])), validations: validations('object.x') }],
    [
      'parameters of an unknown kind',
      { ...DEPLOYMENTS, paramKind: { apiVersion: 'g/v1', kind: 'K' }, validations: validations('params.x') },
    ],
    [
      'wrong variables that nothing reads',
      { ...DEPLOYMENTS, variables: [{ name: 'a', expression: 'object.x' }], validations: validations('true') },
    ],
    [
      'an authorizer in a message',
      { ...DEPLOYMENTS, validations: validations('true', 'authorizer.path("/").check("get").reason()') },
    ],
  ])('has no warnings about %s', async (_what, spec) => {
    expect(await check(spec)).toEqual([]);
  });

  it('has one warning about each expression, for all kinds', async () => {
    const both = matching(rule(['', 'apps'], ['v1'], ['pods', 'deployments']));
    const spec = { ...both, validations: validations('object.spec.replicas > 1', 'object.x') };
    const undefinedX = "ERROR: <input>:1:7: undefined field 'x'\n | object.x\n | ......^\n";
    expect(await check(spec)).toEqual([
      {
        fieldRef: EXPRESSION,
        warning:
          "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'replicas'\n | object.spec.replicas > 1\n | ...........^\n",
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: `/v1, Kind=Pod: ${undefinedX}\napps/v1, Kind=Deployment: ${undefinedX}`,
      },
    ]);
  });

  it.each<[string, ValidatingAdmissionPolicySpec, string]>([
    [
      'types',
      { ...DEPLOYMENTS, validations: validations('object.spec.replicas == "1"') },
      "no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      'parameters',
      {
        ...DEPLOYMENTS,
        paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
        validations: validations('params.min > 1'),
      },
      "undefined field 'min'",
    ],
    [
      'variables',
      {
        ...DEPLOYMENTS,
        variables: [{ name: 'a', expression: 'object.spec.replicas' }],
        validations: validations('variables.a == ""'),
      },
      "applied to '(int, string)'",
    ],
    [
      'the resource of the request, as upstream',
      { ...DEPLOYMENTS, validations: validations('authorizer.requestResource.check("get").allowed()') },
      "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
    ],
  ])('knows wrong uses of %s', async (_what, spec, fault) => {
    const [warning] = await check(spec);
    expect([warning?.fieldRef, warning?.warning]).toEqual([EXPRESSION, expect.stringContaining(fault)]);
  });
});
