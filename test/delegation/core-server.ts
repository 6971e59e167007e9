import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestCertificate, type TestCertificate } from '@apiserver/authentication/testing';
import { type RunningKubeApiserver, startKubeApiserver } from '@apiserver/kube-apiserver';
import { AdminClient, readCredentials } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';

/** The user as which the extension server calls the core server. */
export const EXTENSION_USER = 'extension';
/** Users with tokens of their names, a `-token` behind. */
const USERS = [EXTENSION_USER, 'alice', 'bob'];

/** A core server in this process, with a front proxy, and with rights for an extension server. */
export interface CoreServer extends AsyncDisposable {
  readonly folder: string;
  readonly admin: AdminClient;
  readonly server: RunningKubeApiserver;
  /** The authority of the proxy. */
  readonly proxyAuthority: TestCertificate;
  readonly proxy: TestCertificate;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  /** Writes a kubeconfig of a user with a token. */
  kubeconfigOf(user: string): string;
}

export async function startCoreServer(): Promise<CoreServer> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryDirectory('delegation')).path;
  const proxyAuthority = makeTestCertificate({ commonName: 'proxy-authority', authority: true });
  const proxy = makeTestCertificate({ commonName: 'front-proxy', issuer: proxyAuthority });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const server = stack.use(
    await startKubeApiserver({
      dataDirectory: join(folder, 'data'),
      storageBackend: 'memory',
      flags: [
        '--authorization-mode=RBAC',
        `--token-auth-file=${write('tokens.csv', USERS.map((user) => `${user}-token,${user},${user}`).join('\n'))}`,
        `--requestheader-client-ca-file=${write('proxy-ca.crt', proxyAuthority.certificate)}`,
        `--proxy-client-cert-file=${write('proxy.crt', proxy.certificate)}`,
        `--proxy-client-key-file=${write('proxy.key', proxy.key)}`,
        '--requestheader-allowed-names=front-proxy',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-uid-headers=X-Remote-Uid',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      ],
    }),
  );
  const kubeconfig = server.kubeconfigPath ?? '';
  const admin = stack.use(new AdminClient(kubeconfig));
  await grantDelegation(admin);
  const { ca } = readCredentials(kubeconfig);
  const kubeconfigOf = (user: string) =>
    write(`${user}.kubeconfig`, tokenKubeconfig(server.address, ca, `${user}-token`));
  const dispose = () => stack.disposeAsync();
  return { folder, admin, server, proxyAuthority, proxy, write, kubeconfigOf, [Symbol.asyncDispose]: dispose };
}

/** As upstream documents it for extension servers. */
async function grantDelegation(admin: AdminClient): Promise<void> {
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: EXTENSION_USER }];
  const bind = async (path: string, kind: string, role: object) => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', ...role };
    const body = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'delegation' },
      roleRef,
      subjects,
    };
    const response = await admin.request('POST', `/apis/rbac.authorization.k8s.io/v1/${path}`, body);
    if (response.status !== 201) throw new Error(response.body);
  };
  await bind('clusterrolebindings', 'ClusterRoleBinding', { kind: 'ClusterRole', name: 'system:auth-delegator' });
  const reader = { kind: 'Role', name: 'extension-apiserver-authentication-reader' };
  await bind('namespaces/kube-system/rolebindings', 'RoleBinding', reader);
}

function tokenKubeconfig(server: string, ca: string, token: string): string {
  return JSON.stringify({
    'current-context': 'core',
    contexts: [{ name: 'core', context: { cluster: 'core', user: 'me' } }],
    clusters: [{ name: 'core', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'me', user: { token } }],
  });
}
