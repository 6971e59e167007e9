import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MutatingWebhookConfiguration,
  MutatingWebhookConfigurationList,
  ValidatingWebhookConfiguration,
  ValidatingWebhookConfigurationList,
} from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManifestEnvironment } from '../manifests/manifest-environment.js';
import { ManifestMetrics } from '../manifests/manifest-metrics.js';
import { testAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from './webhook-plugin.js';

const API = 'admissionregistration.k8s.io/v1';
const noRules = { applyDefaults: () => undefined, check: async () => [] };
const schemas = [
  { schema: MutatingWebhookConfiguration, listSchema: MutatingWebhookConfigurationList },
  { schema: ValidatingWebhookConfiguration, listSchema: ValidatingWebhookConfigurationList },
];
const EXEMPT = { kind: { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingWebhookConfiguration' } };

type Kind = 'Mutating' | 'Validating';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A configuration whose webhook nobody serves: the refusal names it. */
function configuration(kind: Kind, name: string) {
  return {
    apiVersion: API,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: `hook.${name}`,
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*', '*'] }],
        namespaceSelector: {},
        objectSelector: {},
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

/** The plugin of one kind of webhooks, with those of the folder and of the API. */
function fixture(kind: Kind, ...api: readonly KubeObject[]) {
  let changed = () => {};
  const manifests = new ManifestEnvironment({
    kinds: schemas.map((one) => ({ ...noRules, ...one, gvk: one.schema.gvk })),
    metrics: new ManifestMetrics(new MetricsRegistry(), { serverId: 's', now: () => 0 }),
    logger: silentLogger,
    watch: (_directory, { changed: notified }) => {
      changed = notified;
    },
  });
  const dependencies = testPluginDependencies(
    { mutatingwebhookconfigurations: [...api], validatingwebhookconfigurations: [...api] },
    {
      manifests,
      enabled: ['ManifestBasedAdmissionControlConfig'],
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'WebhookAdmissionConfiguration',
        kubeConfigFile: '',
        staticManifestsDir: folder,
      },
    },
  );
  const plugin =
    kind === 'Mutating' ? mutatingAdmissionWebhook(dependencies) : validatingAdmissionWebhook(dependencies);
  /** The name of the first webhook that a request without objects meets. */
  const met = async (changes: Partial<AdmissionAttributes> = {}) => {
    const outcome = await runPlugin(plugin, testAttributes({ operation: 'DELETE', ...changes }));
    return 'refused' in outcome ? /failed calling webhook "(.*?)"/.exec(outcome.refused)?.[1] : undefined;
  };
  return { manifests, met, changed: () => changed() };
}

const write = (...objects: readonly object[]) =>
  writeFileSync(join(folder, 'a.yaml'), objects.map((object) => JSON.stringify(object)).join('\n---\n'));

test.each<Kind>(['Mutating', 'Validating'])('%s webhooks of files come first, and see exempt kinds', async (kind) => {
  write(configuration(kind, 'z.static.k8s.io'), configuration(kind, 'y.static.k8s.io'));
  const { manifests, met } = fixture(kind, configuration(kind, 'a'));
  await manifests.start();
  expect([await met(), await met(EXEMPT)]).toEqual(['hook.y.static.k8s.io', 'hook.y.static.k8s.io']);
});

test('webhooks of the API are called beside files without webhooks, but not for exempt kinds', async () => {
  const { manifests, met } = fixture('Mutating', configuration('Mutating', 'a'));
  await manifests.start();
  expect([await met(), await met(EXEMPT)]).toEqual(['hook.a', undefined]);
});

test('webhooks of changed files are called', async () => {
  const { manifests, met, changed } = fixture('Validating');
  await manifests.start();
  expect(await met()).toBeUndefined();
  write(configuration('Validating', 'z.static.k8s.io'));
  changed();
  await vi.waitFor(async () => expect(await met()).toBe('hook.z.static.k8s.io'), 30_000);
});

test('files that cannot be used stop the start', async () => {
  write({});
  await expect(fixture('Mutating').manifests.start()).rejects.toThrow(
    `failed to initialize admission plugin "MutatingAdmissionWebhook": failed to load static webhook manifests from "${folder}": error loading`,
  );
});
