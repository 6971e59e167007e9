import { customResourceDefinition, DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { creationOf, objectsOf } from '../custom-kind.ts';
import { CONFIG_MAPS, type HostileCase, KIB, MAX_BODY, repeated, sending } from '../hostile-case.ts';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ';

/** A ConfigMap in YAML, with more of it behind its name. */
const post = (more: () => string, status?: number): Pick<HostileCase, 'request' | 'status'> => ({
  request: (name) => sending('POST', CONFIG_MAPS, 'yaml', `${HEAD}${name}\n${more()}`),
  ...(status === undefined ? undefined : { status }),
});

const SCALED = {
  group: 'scaled.example.com',
  kind: 'Scaled',
  schema: { 'x-kubernetes-preserve-unknown-fields': true },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const scaledDefinition = customResourceDefinition(SCALED.group, SCALED.kind, SCALED.schema, { scale });

/** Bodies and responses of which YAML is the cause. */
export const YAML_CASES: readonly HostileCase[] = [
  {
    name: 'the scale of a custom resource',
    before: [
      sending('POST', DEFINITIONS, 'json', JSON.stringify(scaledDefinition)),
      creationOf(SCALED, 'scaled', { spec: { replicas: 1 } }),
    ],
    request: () => {
      const text = `metadata: {name: scaled}\nspec: {replicas: 2}\nx:\n${'- !!str &a b\n'.repeat(80_000)}`;
      return sending('PUT', `${objectsOf(SCALED)}/scaled/scale`, 'yaml', text);
    },
    status: 200,
  },
  {
    name: 'aliases of a long scalar',
    ...post(() => `x: &a "${'x'.repeat(MAX_BODY / 3)}"\ny: [${repeated(() => '*a', (2 * MAX_BODY) / 3)}]\n`, 413),
  },
  {
    name: 'aliases of a long key',
    ...post(() => `? &a "${'x'.repeat(1_000)}"\n: 1\ny: [${repeated(() => '*a', 4 * KIB)}]\n`, 413),
  },
  {
    name: 'merges of a map',
    ...post(() => `x: &a {a: b}\ny: {${repeated(() => '<<: *a')}}\n`, 413),
  },
  {
    name: 'merges in merges',
    ...post(
      () => `x: ${'{<<: ['.repeat(400)}{${Array.from({ length: 20_000 }, (_, i) => `k${i}: b`)}}${']}'.repeat(400)}\n`,
      201,
    ),
  },
  { name: 'keys whose colons are on other lines', ...post(() => `x: {${repeated(() => '? a\n : b', 1_024)}}\n`, 413) },
  {
    name: 'a text behind the end',
    ...post(() => '', 400),
    request: () => sending('POST', CONFIG_MAPS, 'yaml', `"${'\\n'.repeat(MAX_BODY / 2 - KIB)}" x`),
  },
  {
    name: 'empty lines before a text behind the end, in a short body',
    ...post(() => '', 422),
    request: () => sending('POST', CONFIG_MAPS, 'yaml', `{${'\n'.repeat(63 * KIB)}a: 1}\nb`),
  },
  {
    name: 'aliases of a key with much space',
    ...post(() => `x: &a {b${' '.repeat(MAX_BODY / 2)}: c}\ny: [${repeated(() => '*a', MAX_BODY / 2 + KIB)}]\n`, 413),
  },
  {
    name: 'aliases of a short list, in a short body',
    ...post(() => `x: &a [${Array(4_000).fill('1')}]\ny: [${Array(23).fill('*a')}]\n`, 201),
  },
  {
    name: 'aliases in aliases, in a short body',
    ...post(
      () => `x: &a [${Array(10).fill('1')}]\ny: &b [${Array(90).fill('*a')}]\nz: [${Array(90).fill('*b')}]\n`,
      400,
    ),
  },
  {
    name: 'aliases in aliases beyond the bound, in a short body',
    ...post(() => `x: &a [1,1,1,1,1,1,1,1,1]\ny: &b [${Array(200).fill('*a')}]\nz: [${Array(200).fill('*b')}]\n`, 400),
  },
  { name: 'anchors', ...post(() => `x: [${repeated((i) => `&a${i} b`)}]\n`, 413) },
  { name: 'documents', ...post(() => repeated(() => '---', 1_024, '\n'), 201) },
  { name: 'documents of braces', ...post(() => repeated(() => '---\n{', 1_024, '\n'), 201) },
  { name: 'small maps', ...post(() => `x: [${repeated(() => '{a: b}')}]\n`, 413) },
  {
    name: 'lists in a block',
    ...post(() => `x:\n${repeated(() => '-', 1_024, '\n')}\n`, 413),
  },
  { name: 'lists in lists', ...post(() => `x: ${'[\n'.repeat(900)}${']'.repeat(900)}\n`) },
  { name: 'lists in lists in a block', ...post(() => `x:\n${'- '.repeat(900)}\n`) },
  { name: 'lists that stay open', ...post(() => `x: ${'['.repeat(MAX_BODY - KIB)}`, 400) },
  {
    name: 'duplicate keys',
    ...post(() => repeated(() => 'x: 1', 1_024, '\n'), 413),
  },
  { name: 'comments', ...post(() => repeated(() => '#', 1_024, '\n'), 201) },
  { name: 'empty lines', ...post(() => '\n'.repeat(MAX_BODY - KIB), 201) },
  {
    name: 'lines of a literal',
    ...post(() => `x: |\n${repeated(() => '  a', 1_024, '\n')}\n`, 201),
  },
  {
    name: 'folded lines',
    ...post(() => `x: >\n${repeated(() => '  a', 1_024, '\n')}\n`, 201),
  },
  {
    name: 'lines of plain text',
    ...post(() => `x:\n${repeated(() => '  a', 1_024, '\n')}\n`, 201),
  },
  { name: 'escapes', ...post(() => `x: "${repeated(() => '\\x01', 1_024, '')}"\n`, 201) },
  {
    name: 'quotes that stay open',
    ...post(() => `x: "${'a\n '.repeat((MAX_BODY - KIB) / 3)}`, 400),
  },
  { name: 'tags', ...post(() => `x: [${repeated(() => '!!str a')}]\n`, 413) },
  { name: 'digits', ...post(() => `x: ${'9'.repeat(MAX_BODY - KIB)}\n`) },
  { name: 'question marks', ...post(() => `x: ${'? '.repeat((MAX_BODY - KIB) / 2)}\n`) },
  { name: 'colons', ...post(() => `x: ${': '.repeat((MAX_BODY - KIB) / 2)}\n`) },
  { name: 'tabs', ...post(() => `x:\n${'\t'.repeat(MAX_BODY - KIB)}\n`) },
  {
    name: 'directives',
    ...post(() => '', 201),
    request: () =>
      sending(
        'POST',
        CONFIG_MAPS,
        'yaml',
        repeated((i) => `%TAG !a${i}! b`, KIB, '\n'),
      ),
    status: 400,
  },
  ...['yaml', 'json'].map((type) => ({
    name: `4,000 empty requirements, as ${type}`,
    request: () => ({
      ...sending('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'json', REVIEW),
      headers: { 'content-type': 'application/json', accept: `application/${type}` },
    }),
    status: 422,
    maxResponse: 768 * KIB,
  })),
];

const REQUIREMENTS = `"labelSelector":{"requirements":[${Array(4_000).fill('{}').join(',')}]}`;
const REVIEW = `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"resource":"pods","verb":"list",${REQUIREMENTS}}}}`;
