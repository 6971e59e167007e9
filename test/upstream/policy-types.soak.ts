import { isDeepStrictEqual } from 'node:util';
import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { GroupVersionKind } from '@apiserver/apimachinery';
import { type OpenApiDocument, PolicyTypeChecker } from '@apiserver/builtin-resources';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { RandomExpression } from './expressions/random-expression.ts';
import { pathsOf, randomSchema, type Schema } from './random-definition.ts';
import { describeUpstream } from './upstream-program.ts';

interface PolicyTypesCase {
  readonly policy: ValidatingAdmissionPolicy;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly kinds: Readonly<Record<string, GroupVersionKind>>;
  readonly names: Readonly<Record<string, string>>;
}

interface Warning {
  readonly fieldRef: string;
  readonly warning: string;
}

const kindOf = (kind: string): GroupVersionKind => ({ group: 'g.io', version: 'v1', kind });
const KINDS = { as: kindOf('A'), bs: kindOf('B'), limits: kindOf('Limit') };
const SHARED = { $ref: '#/components/schemas/io.g.Shared' };
const TEMPLATES = [
  'variables.v0',
  'request.name',
  'namespaceObject.metadata.name',
  'authorizer.path("/").check("get").reason()',
];

function randomCase(random: Random): PolicyTypesCase {
  const schemas: Record<string, Schema> = { 'io.g.Shared': randomSchema(random, 2) };
  for (const { kind } of Object.values(KINDS)) schemas[`io.g.${kind}`] = schemaOf(random, kind);
  const paths = ['A', 'B', 'Limit'].flatMap((kind) => {
    const whole = schemas[`io.g.${kind}`] ?? {};
    return kind === 'Limit'
      ? pathsOf(whole, 'params', 3)
      : [...pathsOf(whole, 'object', 3), ...pathsOf(whole, 'oldObject', 3)];
  });
  const expression = new RandomExpression(random, [
    ...paths,
    ...TEMPLATES.map((path) => ({ path, type: 'string' })),
    { path: 'object.spec.shared', type: 'any' },
    { path: 'object.metadata.name', type: 'string' },
    { path: 'object.metadata.labels', type: 'any' },
  ]);
  const resources = random.of([['as'], ['as', 'bs'], ['bs', 'missing'], ['*']]);
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: {
      ...(random.chance(0.4) && {
        paramKind: { apiVersion: 'g.io/v1', kind: random.of(['Limit', 'Limit', 'Missing']) },
      }),
      matchConstraints: { resourceRules: [{ operations: ['*'], apiGroups: ['g.io'], apiVersions: ['v1'], resources }] },
      ...(random.chance(0.6) && { variables: [{ name: 'v0', expression: expression.text() }] }),
      validations: Array.from({ length: 1 + random.below(3) }, () => ({
        expression: expression.text('bool'),
        ...(random.chance(0.4) && { messageExpression: expression.text('string') }),
      })),
    },
  } as unknown as ValidatingAdmissionPolicy;
  const names = Object.fromEntries(Object.values(KINDS).map(({ kind }) => [kind, `io.g.${kind}`]));
  return { policy, schemas, kinds: KINDS, names };
}

/** A kind as an OpenAPI document has it. */
function schemaOf(random: Random, kind: string): Schema {
  const spec = randomSchema(random);
  if (spec.properties && random.chance(0.5)) {
    spec.properties['shared'] = random.chance(0.5) ? SHARED : { allOf: [SHARED] };
  }
  return {
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' }, spec },
    'x-kubernetes-group-version-kind': [kindOf(kind)],
  };
}

interface Answer {
  readonly warnings: readonly Warning[] | null;
  readonly panics?: boolean;
}

async function ours({ policy, schemas }: PolicyTypesCase): Promise<Answer> {
  const document = JSON.parse(JSON.stringify({ components: { schemas } })) as OpenApiDocument;
  const checker = new PolicyTypeChecker({
    kindsOf: async ({ resource }) =>
      Object.entries(KINDS).flatMap(([plural, kind]) => (plural === resource ? [kind] : [])),
    openApiOf: async () => document,
  });
  return comparable({ warnings: await checker.check(policy) });
}

/** Upstream's names of types end with a time, ours with a variable. */
function comparable({ warnings, ...rest }: Answer): Answer {
  const texts = (warnings ?? []).map(({ fieldRef, warning }) => ({
    fieldRef,
    warning: warning.replaceAll(/\b(A|B|Limit)(?:\d+|\.object|\.params)\b/g, '$1'),
  }));
  return { ...rest, warnings: texts };
}

/** No expectation where upstream panics. */
function difference(theirs: Answer, ours: Answer): unknown {
  return theirs.panics === true || isDeepStrictEqual(theirs, ours) ? undefined : { theirs, ours };
}

describeUpstream('types of policies', (upstream) => {
  it('have upstream’s warnings', () =>
    compareCases(upstream(), { area: 'policyTypes', randomCase, ours, theirs: comparable, difference }));
});
