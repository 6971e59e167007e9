import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatKubeconfig, writeAdminKubeconfig } from './kubeconfig.js';

const config = {
  server: 'https://127.0.0.1:6443',
  certificateAuthority: 'ca',
  clientCertificate: 'certificate',
  clientKey: 'key',
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

it.each([
  ['kube-apiserver', 'kube-apiserver', 'admin@kube-apiserver'],
  ['sea', '"sea"', '"admin@sea"'],
  ['sea-1-b', 'sea-1-b', 'admin@sea-1-b'],
  ['my sea-1', '"my sea-1"', '"admin@my sea-1"'],
  ['9 a-b', '"9 a-b"', '"admin@9 a-b"'],
  ['a-b c', '"a-b c"', '"admin@a-b c"'],
  ['sea-1\n', '"sea-1\\n"', '"admin@sea-1\\n"'],
])('writes the name %j as %s: words with hyphens need no quotes', (name, cluster, context) => {
  expect(formatKubeconfig({ ...config, name })).toBe(`apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: ${base64('ca')}
users:
- name: admin
  user:
    client-certificate-data: ${base64('certificate')}
    client-key-data: ${base64('key')}
contexts:
- name: ${context}
  context:
    cluster: ${cluster}
    user: admin
current-context: ${context}
`);
});

it('writes the file for its owner alone, and not again if it has the same content', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  const path = join(folder, 'kubeconfig');
  writeAdminKubeconfig(path, config);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([formatKubeconfig(config), 0o600]);
  utimesSync(path, 1, 1);
  writeAdminKubeconfig(path, config);
  expect(statSync(path).mtimeMs).toBe(1000);
  writeAdminKubeconfig(path, { ...config, server: 'https://127.0.0.1:7443' });
  expect(readFileSync(path, 'utf8')).toContain(':7443');
  rmSync(folder, { recursive: true });
});

it('calls the cluster kube-apiserver by default', () => {
  expect(formatKubeconfig(config)).toBe(formatKubeconfig({ ...config, name: 'kube-apiserver' }));
});
