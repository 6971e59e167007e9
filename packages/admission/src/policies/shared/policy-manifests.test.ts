import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingList,
  ValidatingAdmissionPolicyList,
} from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManifestEnvironment, type ManifestKind } from '../../manifests/manifest-environment.js';
import { ManifestMetrics } from '../../manifests/manifest-metrics.js';
import { testAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { namespace } from '../../testing/sample-objects.js';
import { validatingAdmissionPolicy } from '../validating/validating-admission-policy.js';

const API = 'admissionregistration.k8s.io/v1';
const noRules = { applyDefaults: () => undefined, check: async () => [] };
const KINDS: readonly ManifestKind[] = [
  {
    ...noRules,
    gvk: ValidatingAdmissionPolicy.gvk,
    schema: ValidatingAdmissionPolicy,
    listSchema: ValidatingAdmissionPolicyList,
  },
  {
    ...noRules,
    gvk: ValidatingAdmissionPolicyBinding.gvk,
    schema: ValidatingAdmissionPolicyBinding,
    listSchema: ValidatingAdmissionPolicyBindingList,
  },
];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policies-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A policy that refuses every request with a message, and its binding. */
function refusal(name: string, message: string): readonly KubeObject[] {
  const matchConstraints = { namespaceSelector: {}, objectSelector: {} };
  const validations = [{ expression: 'false', message }];
  return [
    { apiVersion: API, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec: { matchConstraints, validations } },
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

const writeFiles = (...items: readonly KubeObject[]) =>
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

/** A plugin with the policies of the folder, and those of the API. */
function fixture(...api: readonly KubeObject[]) {
  let changed = () => {};
  const { logger, lines } = createTestLogger();
  const manifests = new ManifestEnvironment({
    kinds: KINDS,
    metrics: new ManifestMetrics(new MetricsRegistry(), { serverId: 's', now: () => 0 }),
    logger,
    watch: (_directory, { changed: notified }) => {
      changed = notified;
    },
  });
  const dependencies = testPluginDependencies(
    {
      namespaces: [namespace()],
      validatingadmissionpolicies: api.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'),
      validatingadmissionpolicybindings: api.filter(({ kind }) => kind !== 'ValidatingAdmissionPolicy'),
    },
    {
      manifests,
      enabled: ['ManifestBasedAdmissionControlConfig'],
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyConfiguration',
        staticManifestsDir: folder,
      },
    },
  );
  const plugin = validatingAdmissionPolicy(dependencies);
  const run = async (attributes: AdmissionAttributes) => {
    try {
      await plugin.validate?.(attributes);
      return 'admitted';
    } catch (error) {
      return error instanceof Error ? error.message.replace(/.*denied request: /, '') : error;
    }
  };
  return { plugin, manifests, lines, run, changed: () => changed() };
}

const RESOURCE = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' };
// Without objects, a request needs no conversion.
const configMap = () => testAttributes({ operation: 'DELETE' });
const policyDelete = () => testAttributes({ operation: 'DELETE', resource: RESOURCE, namespace: '' });

test('policies of files come first, and see the policies of the API', async () => {
  writeFiles(...refusal('z.static.k8s.io', 'from a file'));
  const { plugin, manifests, run } = fixture(...refusal('a', 'from the API'));
  await manifests.start();
  const { operation, scope } = policyDelete();
  expect([
    plugin.handles(operation, scope),
    await run(policyDelete()),
    await run(configMap()),
    plugin.isActive?.(),
  ]).toEqual([true, 'from a file', 'from a file', true]);
});

test('policies of the API are evaluated beside files without policies, but not for policies', async () => {
  const { plugin, manifests, run } = fixture(...refusal('a', 'from the API'));
  await manifests.start();
  expect([await run(policyDelete()), await run(configMap()), plugin.isActive?.()]).toEqual([
    'admitted',
    'from the API',
    true,
  ]);
});

test('a policy without a binding selects nothing', async () => {
  writeFiles(...refusal('z.static.k8s.io', 'from a file').slice(0, 1));
  const { manifests, run } = fixture();
  await manifests.start();
  expect(await run(configMap())).toBe('admitted');
});

test('without policies, the plugin is idle after its first request', async () => {
  const { plugin, manifests, run } = fixture();
  await manifests.start();
  expect([plugin.isActive?.(), await run(configMap()), plugin.isActive?.()]).toEqual([true, 'admitted', false]);
});

test('policies of changed files are used, and unusable ones are logged', async () => {
  const { manifests, run, changed, lines } = fixture();
  await manifests.start();
  expect(await run(configMap())).toBe('admitted');
  writeFiles(...refusal('z.static.k8s.io', 'new'));
  changed();
  await vi.waitFor(async () => expect(await run(configMap())).toBe('new'), 30_000);
  writeFileSync(join(folder, 'a.json'), '{}');
  changed();
  await vi.waitFor(() => expect(lines.length).toBe(3), 30_000);
  const fields = { plugin: 'ValidatingAdmissionPolicy', dir: folder };
  expect([await run(configMap()), lines.map((line) => [line.level, line.message, line.fields])]).toEqual([
    'new',
    [
      ['info', 'Loaded manifest-based admission policy configurations', { plugin: fields.plugin, count: 0 }],
      ['info', 'reloaded manifest config', fields],
      ['error', 'reloading manifest config', fields],
    ],
  ]);
});

test('files that cannot be used stop the start', async () => {
  writeFileSync(join(folder, 'a.json'), '{}');
  await expect(fixture().manifests.start()).rejects.toThrow(
    `failed to initialize admission plugin "ValidatingAdmissionPolicy": failed to load static policy manifests from "${folder}": error loading`,
  );
});

test('without a folder, policies are not handled', () => {
  const plugin = validatingAdmissionPolicy(testPluginDependencies({}, { configuration: undefined }));
  const { operation, scope } = policyDelete();
  const review = (group: string, resource: string) =>
    testAttributes({ resource: { group, version: 'v1', resource } }).scope;
  expect([
    plugin.handles(operation, scope),
    plugin.handles(operation, configMap().scope),
    ...['selfsubjectreviews', 'tokenreviews', 'others'].map((name) =>
      plugin.handles(operation, review('authentication.k8s.io', name)),
    ),
    ...[
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
      'tokenreviews',
    ].map((name) => plugin.handles(operation, review('authorization.k8s.io', name))),
    ...[
      'validatingadmissionpolicybindings',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingwebhookconfigurations',
    ].map((name) => plugin.handles(operation, review('admissionregistration.k8s.io', name))),
  ]).toEqual([
    ...[false, true],
    ...[false, false, true],
    ...[false, false, false, false, true],
    ...[false, false, false, true],
  ]);
});

test('the configuration must be that of the plugin', () => {
  const make = (changes: object) => () =>
    validatingAdmissionPolicy(
      testPluginDependencies(
        {},
        {
          configuration: {
            apiVersion: 'apiserver.config.k8s.io/v1',
            kind: 'ValidatingAdmissionPolicyConfiguration',
            ...changes,
          },
        },
      ),
    );
  expect(make({})).not.toThrow();
  expect(make({ kind: 'MutatingAdmissionPolicyConfiguration' })).toThrow(
    /^unexpected type: \*policyconfig\.MutatingAdmissionPolicyConfiguration$/,
  );
  const scheme = 'in scheme "pkg/admission/plugin/policy/config/config.go:32"';
  expect(make({ kind: 'MutatingAdmissionPolicyConfiguration', apiVersion: 'v1' })).toThrow(
    `no kind "MutatingAdmissionPolicyConfiguration" is registered for version "v1" ${scheme}`,
  );
  expect(make({ kind: 'Other' })).toThrow(
    `no kind "Other" is registered for version "apiserver.config.k8s.io/v1" ${scheme}`,
  );
  expect(make({ staticManifestsDir: '/' })).toThrow('staticManifestsDir: Forbidden');
});
