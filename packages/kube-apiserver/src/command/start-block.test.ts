import { versionInfo } from '@apiserver/component-base/version';
import { expect, it } from 'vitest';
import { startBlock } from './start-block.js';

const version = versionInfo({ packageVersion: '0.1.0' });
const url = 'https://127.0.0.1:6443';

it.each<[NodeJS.Platform, string | undefined, readonly string[]]>([
  [
    'linux',
    '.kube-apiserver/admin.kubeconfig',
    [
      'kubeconfig: .kube-apiserver/admin.kubeconfig',
      'try: kubectl --kubeconfig .kube-apiserver/admin.kubeconfig get namespaces',
    ],
  ],
  [
    'darwin',
    "/a folder/it's",
    ["kubeconfig: /a folder/it's", "try: kubectl --kubeconfig '/a folder/it'\\''s' get namespaces"],
  ],
  [
    'win32',
    'C:\\Users\\me\\.kube-apiserver\\admin.kubeconfig',
    [
      'kubeconfig: C:\\Users\\me\\.kube-apiserver\\admin.kubeconfig',
      'try: kubectl --kubeconfig C:\\Users\\me\\.kube-apiserver\\admin.kubeconfig get namespaces',
    ],
  ],
  [
    'win32',
    "C:\\it's (mine)\\admin.kubeconfig",
    [
      "kubeconfig: C:\\it's (mine)\\admin.kubeconfig",
      'try: kubectl --kubeconfig "C:\\it\'s (mine)\\admin.kubeconfig" get namespaces',
    ],
  ],
  ['linux', undefined, ['Clients need a certificate of the CA in --client-ca-file.']],
])('on %s: %s', (platform, kubeconfigPath, lines) => {
  expect(startBlock({ url, kubeconfigPath, version }, platform).split('\n')).toEqual([
    `Kubernetes API ${version.gitVersion} is ready at ${url}`,
    ...lines,
    '',
  ]);
});
