import { versionInfo } from '@apiserver/generic-server';
import { expect, it } from 'vitest';
import { startBlock } from './start-block.js';

const version = versionInfo({ packageVersion: '0.1.0' });
const url = 'https://127.0.0.1:6443';

it.each([
  [
    '.kube-apiserver/admin.kubeconfig',
    [
      'kubeconfig: .kube-apiserver/admin.kubeconfig',
      'try: kubectl --kubeconfig .kube-apiserver/admin.kubeconfig get namespaces',
    ],
  ],
  ["/a folder/it's", ["kubeconfig: /a folder/it's", "try: kubectl --kubeconfig '/a folder/it'\\''s' get namespaces"]],
  [undefined, ['Clients need a certificate of the CA in --client-ca-file.']],
])('%s', (kubeconfigPath, lines) => {
  expect(startBlock({ url, kubeconfigPath, version }).split('\n')).toEqual([
    `Kubernetes API ${version.gitVersion} is ready at ${url}`,
    ...lines,
    '',
  ]);
});
