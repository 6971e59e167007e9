import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificate, key } from '../harness/kubelet-certificate.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');

/** Contents of configuration files, as the documentation of upstream and of the distributions has them. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  'admission.yaml': `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits:
    - type: Server
      qps: 5000
      burst: 20000
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults:
      enforce: baseline
      enforce-version: latest
    exemptions:
      namespaces: [kube-system]
`,
  'kube-apiserver-admission-pss.yaml': `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults:
      enforce: baseline
      enforce-version: latest
      audit: baseline
      audit-version: latest
      warn: baseline
      warn-version: latest
    exemptions:
      usernames: []
      runtimeClasses: []
      namespaces: [kube-system]
`,
  'audit-policy.yaml': 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n',
  'encryption.yaml': `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - secretbox:
      keys:
      - name: key1
        secret: ${SECRET}
  - identity: {}
`,
  'egress-selector-config.yaml': `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport:
      tcp:
        url: https://127.0.0.1:6443
        tlsConfig:
          caBundle: FOLDER/pki/ca.crt
          clientKey: FOLDER/pki/client.key
          clientCert: FOLDER/pki/client.crt
`,
};

/** The server does not read the public half of a PKCS#8 key, as upstream. */
const sec1 = createPrivateKey(key).export({ type: 'sec1', format: 'pem' });

/** Folder and store of a test, which replace those of a machine. */
export interface Replacements {
  /** Stands for /etc/kubernetes. */
  readonly folder: string;
  readonly etcdUrl: string;
}

/** Writes the files that a command line names, and returns it with the paths, ports and addresses of the test. */
export function prepared(flags: readonly string[], { folder, etcdUrl }: Replacements): readonly string[] {
  return flags.map((flag) => {
    const [name = '', ...rest] = flag.split('=');
    const value = rest.join('=');
    if (name === '--etcd-servers') return `${name}=${etcdUrl}`;
    if (name === '--secure-port') return `${name}=0`;
    if (name === '--bind-address') return `${name}=127.0.0.1`;
    if (!value.startsWith('/etc/kubernetes/')) return flag;
    const path = join(folder, value.slice('/etc/kubernetes/'.length));
    write(path, folder);
    return `${name}=${path}`;
  });
}

function write(path: string, folder: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const configuration = CONFIGURATIONS[path.slice(folder.length + 1)];
  if (configuration !== undefined) writeFileSync(path, configuration.replaceAll('FOLDER', folder));
  if (path.endsWith('.crt')) writeFileSync(path, certificate);
  if (path.endsWith('.key')) writeFileSync(path, sec1);
  if (path.endsWith('.pub')) writeFileSync(path, createPublicKey(certificate).export({ type: 'spki', format: 'pem' }));
}
