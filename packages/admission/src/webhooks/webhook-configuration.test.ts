import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readWebhookUsers } from './webhook-configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'webhook-users-'));
afterAll(() => rmSync(directory, { recursive: true }));

const configuration = (fields: object) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'WebhookAdmissionConfiguration',
  ...fields,
});

test('the kubeconfig of a configuration is read', () => {
  const file = join(directory, 'kubeconfig');
  writeFileSync(file, 'users: []');
  expect([readWebhookUsers(configuration({ kubeConfigFile: file })), readWebhookUsers(undefined)]).toEqual([
    { kubeconfig: { users: [] }, directory },
    undefined,
  ]);
});

test.each<[object, string]>([
  [{ kubeConfigFile: 'a' }, 'kubeConfigFile: Invalid value: "a": must be an absolute file path'],
  [{ kubeConfigFile: '/nowhere' }, 'stat /nowhere: no such file or directory'],
  [
    { staticManifestsDir: '/a' },
    'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
  ],
  [{ extra: 1 }, 'strict decoding error: unknown field "extra"'],
])('%j is refused', (fields, message) => {
  expect(() => readWebhookUsers(configuration(fields))).toThrow(message);
});
