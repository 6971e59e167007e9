import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readWebhookSettings } from './webhook-configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'webhook-users-'));
afterAll(() => rmSync(directory, { recursive: true }));

const configuration = (fields: object) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'WebhookAdmissionConfiguration',
  ...fields,
});

const gates = (enabled: boolean) => ({ enabled: () => enabled });
const read = (fields: object, enabled = true) => readWebhookSettings(configuration(fields), gates(enabled));

test('the folder of manifests is read', () => {
  expect(read({ staticManifestsDir: directory })).toEqual({ users: undefined, manifestsDirectory: directory });
});

test('the kubeconfig of a configuration is read', () => {
  const file = join(directory, 'kubeconfig');
  writeFileSync(file, 'users: []');
  expect([read({ kubeConfigFile: file }), readWebhookSettings(undefined, gates(true))]).toEqual([
    { users: { kubeconfig: expect.objectContaining({ users: [] }), directory }, manifestsDirectory: '' },
    { users: undefined, manifestsDirectory: '' },
  ]);
});

test.each<[object, string]>([
  [{ kubeConfigFile: 'a' }, 'kubeConfigFile: Invalid value: "a": must be an absolute file path'],
  [{ kubeConfigFile: '/nowhere' }, 'stat /nowhere: no such file or directory'],
  [{ staticManifestsDir: 'a' }, 'staticManifestsDir: Invalid value: "a": must be an absolute file path'],
  [
    { staticManifestsDir: '/nowhere' },
    'staticManifestsDir: Invalid value: "/nowhere": unable to read: stat /nowhere: no such file or directory',
  ],
  [{ staticManifestsDir: '/dev/null' }, 'staticManifestsDir: Invalid value: "/dev/null": must be a directory'],
  [{ extra: 1 }, 'strict decoding error: unknown field "extra"'],
])('%j is refused', (fields, message) => {
  expect(() => read(fields)).toThrow(message);
});

test('a folder of manifests is refused without the feature', () => {
  const message =
    'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';
  expect(() => read({ staticManifestsDir: directory }, false)).toThrow(message);
});
