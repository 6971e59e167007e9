import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadPolicies } from './load-policies.js';
import { loadWebhooks } from './load-webhooks.js';
import type { ManifestKind } from './manifest-environment.js';
import { readManifestFiles } from './manifest-files.js';

const API = 'admissionregistration.k8s.io/v1';
const kindOf = (schema: KindSchema, listSchema: ManifestKind['listSchema']): ManifestKind => ({
  ...{ gvk: schema.gvk, schema, listSchema },
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

const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
const policy = (name: string, spec: object = {}) => ({
  ...{ apiVersion: API, kind: 'MutatingAdmissionPolicy', metadata: { name } },
  spec,
});
const binding = (name: string, spec: object) => ({
  ...{ apiVersion: API, kind: 'MutatingAdmissionPolicyBinding', metadata: { name } },
  spec,
});
const webhooks = (name: string) =>
  `{apiVersion: ${API}, kind: MutatingWebhookConfiguration, metadata: {name: ${name}}}`;

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
  ['{apiVersion: v1, kind: List, more: 1}', 'error loading FILE: strict decoding error: unknown field "more"'],
])('webhooks: %s is refused', async (content, message) => {
  write('a.yaml', content);
  const loading = loadWebhooks(folder, 'MutatingWebhookConfiguration', KINDS);
  await expect(loading).rejects.toThrow(message.replaceAll('FILE', join(folder, 'a.yaml')));
});

test.each<[object, string]>([
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
