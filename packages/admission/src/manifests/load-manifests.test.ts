import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingList,
  MutatingAdmissionPolicyList,
  MutatingWebhookConfiguration,
  MutatingWebhookConfigurationList,
} from '@apiserver/api/admissionregistration/v1';
import { FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadPolicies } from './load-policies.js';
import { loadWebhooks } from './load-webhooks.js';
import type { ManifestKind } from './manifest-environment.js';
import { readManifestFiles } from './manifest-files.js';

const API = 'admissionregistration.k8s.io/v1';
const kindOf = (schema: KindSchema, listSchema: ManifestKind['listSchema']): ManifestKind => ({
  gvk: schema.gvk,
  schema,
  listSchema,
  applyDefaults: ({ metadata }) => {
    metadata.labels = { defaulted: 'true' };
  },
  check: async () => [],
});
const KINDS = [
  kindOf(MutatingAdmissionPolicy, MutatingAdmissionPolicyList),
  kindOf(MutatingAdmissionPolicyBinding, MutatingAdmissionPolicyBindingList),
  kindOf(MutatingWebhookConfiguration, MutatingWebhookConfigurationList),
];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifests-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A comment before each flow mapping: upstream reads text that begins with a brace as JSON. */
const write = (name: string, content: string) =>
  writeFileSync(join(folder, name), content.replaceAll(/^\{(?=[a-z])/gm, '# YAML\n{'));
const policy = (name: string, spec: object = {}) => ({
  apiVersion: API,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec,
});
const binding = (name: string, spec: object) => ({
  apiVersion: API,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name },
  spec,
});
const webhooks = (name: string) =>
  `{apiVersion: ${API}, kind: MutatingWebhookConfiguration, metadata: {name: ${name}}}`;
const hooked = (clientConfig: string) =>
  `{apiVersion: ${API}, kind: MutatingWebhookConfiguration, metadata: {name: a.static.k8s.io}, webhooks: [{name: w, clientConfig: ${clientConfig}}]}`;

test('documents are those of the YAML and JSON files, in the order of names', () => {
  mkdirSync(join(folder, 'c.yaml'));
  write('b.YML', '---\n# one\na: 1\n--- # two\n\n---\nb: 2\n');
  write('a.json', '{}');
  write('a.txt', 'ignored');
  write('empty.yaml', '');
  const { documents, hash } = readManifestFiles(folder);
  expect([documents.map(({ text }) => text), hash]).toEqual([
    ['{}', '---\n# one\na: 1', 'b: 2'],
    expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  ]);
  rmSync(join(folder, 'b.YML'));
  expect(readManifestFiles(folder).hash).not.toBe(hash);
});

test('a name may be an extension alone; line ends and white space are those of upstream', () => {
  write('.yaml', 'a: 1\r\nb: 2\r\n---\u0085\r\nc: 3\u2028\r\n');
  write('z.yaml', '\ufeffd: 4\n');
  expect(readManifestFiles(folder).documents.map(({ text }) => text)).toEqual(['a: 1\nb: 2', 'c: 3', '\ufeffd: 4']);
});

test('a file that cannot be read is named', () => {
  symlinkSync(join(folder, 'gone'), join(folder, 'a.yaml'));
  const file = join(folder, 'a.yaml');
  expect(() => readManifestFiles(folder)).toThrow(
    `failed to read file "${file}": open ${file}: no such file or directory`,
  );
});

test('a folder without content has no hash', () => {
  expect(readManifestFiles(folder)).toEqual({ documents: [], hash: '' });
});

test('lists are read, and objects are sorted by name', async () => {
  const list = (kind: string, ...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind, items });
  write(
    'a.json',
    list('List', policy('c.static.k8s.io'), binding('x.static.k8s.io', { policyName: 'c.static.k8s.io' })),
  );
  write(
    'b.json',
    JSON.stringify({ apiVersion: API, kind: 'MutatingAdmissionPolicyList', items: [policy('a.static.k8s.io')] }),
  );
  const { manifests } = await loadPolicies(folder, 'MutatingAdmissionPolicy', KINDS);
  const described = ({ metadata }: { metadata: { name?: string; labels?: object } }) => [
    metadata.name,
    metadata.labels,
  ];
  expect([manifests.policies.map(described), manifests.bindings.map(described)]).toEqual([
    [
      ['a.static.k8s.io', { defaulted: 'true' }],
      ['c.static.k8s.io', { defaulted: 'true' }],
    ],
    [['x.static.k8s.io', { defaulted: 'true' }]],
  ]);
});

test.each<[string, string]>([
  ['--- a: 1', 'failed to split YAML documents in file "FILE": invalid Yaml document separator: a: 1'],
  ['# nothing', "error loading FILE: Object 'Kind' is missing in '# nothing'"],
  ['kind: A', "error loading FILE: Object 'apiVersion' is missing in 'kind: A'"],
  ['{apiVersion: v1, kind: Pod}', 'error loading FILE: no kind "Pod" is registered for version "v1" in scheme'],
  [`${webhooks('""')}`, 'error loading FILE: resource in file "FILE" must have a name'],
  [
    `{apiVersion: ${API}beta1, kind: MutatingWebhookConfiguration}`,
    'error loading FILE: unsupported resource type *v1beta1.MutatingWebhookConfiguration',
  ],
  ['{apiVersion: v1, kind: List, items: [{a: 1}]}', "error loading FILE: failed to decode list item: Object 'Kind'"],
  [
    `{apiVersion: v1, kind: List, items: [${webhooks('a')}, {a: 1}]}`,
    'error loading FILE: "a" in file "FILE" must have a name ending with ".static.k8s.io"',
  ],
  [
    '{apiVersion: v1, kind: List, more: 1, other: 2}',
    'error loading FILE: strict decoding error: unknown field "more", unknown field "other"',
  ],
  [
    `{apiVersion: ${API}, kind: MutatingWebhookConfiguration, metadata: {name: a.static.k8s.io}, more: 1, other: 2}`,
    'error loading FILE: strict decoding error: unknown field "more", unknown field "other"',
  ],
  ['{apiVersion: v2, kind: Status}', 'error loading FILE: unsupported resource type *v1.Status'],
  [
    `${webhooks('a.static.k8s.io')}\n---\n${webhooks('a.static.k8s.io')}`,
    'error loading FILE: duplicate name "a.static.k8s.io" found in file "FILE" (previously seen in "FILE")',
  ],
  [
    hooked('{service: {namespace: ns, name: hook}}'),
    'error loading FILE: webhook "w" in "a.static.k8s.io" (file "FILE"): clientConfig.service is not supported for static manifests; use clientConfig.url instead',
  ],
  [
    hooked('{}'),
    'error loading FILE: webhook "w" in "a.static.k8s.io" (file "FILE"): clientConfig.url is required for static manifests',
  ],
  [
    hooked('{url: ""}'),
    'error loading FILE: webhook "w" in "a.static.k8s.io" (file "FILE"): clientConfig.url is required for static manifests',
  ],
])('webhooks: %s is refused', async (content, message) => {
  write('a.yaml', content);
  const loading = loadWebhooks(folder, 'MutatingWebhookConfiguration', KINDS);
  await expect(loading).rejects.toThrow(message.replaceAll('FILE', join(folder, 'a.yaml')));
});

test.each<[string, string, boolean]>([
  ['v1', 'ValidatingWebhookConfiguration', true],
  ['v1', 'ValidatingWebhookConfigurationList', true],
  ['v1beta1', 'MutatingWebhookConfigurationList', true],
  ['v1alpha1', 'MutatingWebhookConfiguration', false],
  ['v1', 'MutatingWebhookConfigurationBinding', false],
  ['v1', 'OldMutatingWebhookConfiguration', false],
  ['v1', 'MutatingAdmissionPolicy', true],
  ['v1beta1', 'ValidatingAdmissionPolicyList', true],
  ['v1alpha1', 'MutatingAdmissionPolicyBinding', true],
  ['v1', 'ValidatingAdmissionPolicyBindingList', true],
  ['v2', 'ValidatingAdmissionPolicy', false],
  ['v1', 'ValidatingAdmissionPolicyBindingLists', false],
  ['v1', 'OldValidatingAdmissionPolicy', false],
])('a folder may not have %s %s', async (version, kind, isKnown) => {
  write('a.json', JSON.stringify({ apiVersion: `admissionregistration.k8s.io/${version}`, kind }));
  const loading = loadWebhooks(folder, 'Other', KINDS);
  await expect(loading).rejects.toThrow(
    isKnown
      ? `unsupported resource type *${version}.${kind}`
      : `no kind "${kind}" is registered for version "admissionregistration.k8s.io/${version}" in scheme "pkg/admission/plugin/webhook/manifest/loader/loader.go:41"`,
  );
});

test('webhooks with URLs are loaded with their kind, sorted by the names of their configurations', async () => {
  const withUrl = (name: string) => hooked('{url: "https://a"}').replace('a.static', `${name}.static`);
  write('a.yaml', `${withUrl('b')}\n---\n${withUrl('a')}\n---\n${withUrl('c')}`);
  const { manifests, hash } = await loadWebhooks(folder, 'MutatingWebhookConfiguration', KINDS);
  expect(manifests.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name])).toEqual([
    [API, 'MutatingWebhookConfiguration', 'a.static.k8s.io'],
    [API, 'MutatingWebhookConfiguration', 'b.static.k8s.io'],
    [API, 'MutatingWebhookConfiguration', 'c.static.k8s.io'],
  ]);
  expect(hash).toBe(readManifestFiles(folder).hash);
});

test('a list of webhooks without items is empty', async () => {
  write('a.yaml', `{apiVersion: ${API}, kind: MutatingWebhookConfigurationList}`);
  write('b.yaml', '{apiVersion: v1, kind: List, metadata: {}}');
  const { manifests } = await loadWebhooks(folder, 'MutatingWebhookConfiguration', KINDS);
  expect(manifests).toEqual([]);
});

test('the errors of a manifest are named', async () => {
  const check = async () => [fieldRequired(FieldPath.of('spec'), 'x'), fieldRequired(FieldPath.of('a'), 'y')];
  const kinds = KINDS.map((kind) => ({ ...kind, check }));
  write('a.json', JSON.stringify(policy('a.static.k8s.io')));
  await expect(loadPolicies(folder, 'MutatingAdmissionPolicy', kinds)).rejects.toThrow(
    `error loading ${join(folder, 'a.json')}: MutatingAdmissionPolicy "a.static.k8s.io": [spec: Required value: x, a: Required value: y]`,
  );
});

test('a policy and its binding may have the same name', async () => {
  const policyName = 'a.static.k8s.io';
  write('a.json', JSON.stringify(policy(policyName)));
  write('b.json', JSON.stringify(binding(policyName, { policyName })));
  const { manifests } = await loadPolicies(folder, 'MutatingAdmissionPolicy', KINDS);
  expect([manifests.policies.length, manifests.bindings.length]).toEqual([1, 1]);
});

test.each<[object, string]>([
  [
    policy('a.static.k8s.io', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
    'MutatingAdmissionPolicy "a.static.k8s.io": spec.paramKind is not supported for static manifests',
  ],
  [binding('b.static.k8s.io', {}), 'binding "b.static.k8s.io" must reference a policy (spec.policyName)'],
  [
    binding('b.static.k8s.io', { policyName: 'a' }),
    'binding "b.static.k8s.io": spec.policyName "a" must end with ".static.k8s.io"',
  ],
  [
    binding('b.static.k8s.io', { policyName: 'a.static.k8s.io', paramRef: { name: 'p' } }),
    'binding "b.static.k8s.io": spec.paramRef is not supported for static manifests',
  ],
])('policies: %j is refused', async (manifest, message) => {
  write('a.json', JSON.stringify(manifest));
  const loading = loadPolicies(folder, 'MutatingAdmissionPolicy', KINDS);
  await expect(loading).rejects.toThrow(`error loading ${join(folder, 'a.json')}: ${message}`);
});

test('the first binding without a policy is named, in the order of files', async () => {
  write('a.json', JSON.stringify(binding('z.static.k8s.io', { policyName: 'p.static.k8s.io' })));
  write('b.json', JSON.stringify(binding('a.static.k8s.io', { policyName: 'q.static.k8s.io' })));
  await expect(loadPolicies(folder, 'MutatingAdmissionPolicy', KINDS)).rejects.toThrow(
    'binding "z.static.k8s.io" references policy "p.static.k8s.io" which does not exist in the manifest directory',
  );
});

test('a folder that is gone is refused', async () => {
  const loading = loadWebhooks('/nowhere', 'MutatingWebhookConfiguration', KINDS);
  await expect(loading).rejects.toThrow(
    'failed to read manifest directory "/nowhere": open /nowhere: no such file or directory',
  );
});
