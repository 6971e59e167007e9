import { expect, it } from 'vitest';
import { decodeKubeconfig } from './decode-kubeconfig.js';

// The messages are those of k8s.io/client-go v0.36.6.
it.each([
  ['current-context: 1', 'Config.current-context of type string'],
  ['clusters: [{name: a, cluster: {server: 1}}]', 'Cluster.clusters.cluster.server of type string'],
  ['clusters: [{name: a, cluster: {tls-server-name: 1}}]', 'Cluster.clusters.cluster.tls-server-name of type string'],
  [
    'clusters: [{name: a, cluster: {certificate-authority: 1}}]',
    'Cluster.clusters.cluster.certificate-authority of type string',
  ],
  ['clusters: [{name: a, cluster: {proxy-url: 1}}]', 'Cluster.clusters.cluster.proxy-url of type string'],
  [
    'clusters: [{name: a, cluster: {insecure-skip-tls-verify: 1}}]',
    'Cluster.clusters.cluster.insecure-skip-tls-verify of type bool',
  ],
  [
    'clusters: [{name: a, cluster: {disable-compression: 1}}]',
    'Cluster.clusters.cluster.disable-compression of type bool',
  ],
  [
    'clusters: [{name: a, cluster: {certificate-authority-data: 1}}]',
    'Cluster.clusters.cluster.certificate-authority-data of type []uint8',
  ],
  [
    'clusters: [{name: a, cluster: {extensions: 1}}]',
    'Cluster.clusters.cluster.extensions of type []v1.NamedExtension',
  ],
  ['users: [{name: a, user: {client-certificate: 1}}]', 'AuthInfo.users.user.client-certificate of type string'],
  ['users: [{name: a, user: {client-key: 1}}]', 'AuthInfo.users.user.client-key of type string'],
  ['users: [{name: a, user: {token: 1}}]', 'AuthInfo.users.user.token of type string'],
  ['users: [{name: a, user: {tokenFile: 1}}]', 'AuthInfo.users.user.tokenFile of type string'],
  ['users: [{name: a, user: {as: 1}}]', 'AuthInfo.users.user.as of type string'],
  ['users: [{name: a, user: {as-uid: 1}}]', 'AuthInfo.users.user.as-uid of type string'],
  ['users: [{name: a, user: {username: 1}}]', 'AuthInfo.users.user.username of type string'],
  ['users: [{name: a, user: {password: 1}}]', 'AuthInfo.users.user.password of type string'],
  [
    'users: [{name: a, user: {client-certificate-data: 1}}]',
    'AuthInfo.users.user.client-certificate-data of type []uint8',
  ],
  ['users: [{name: a, user: {client-key-data: 1}}]', 'AuthInfo.users.user.client-key-data of type []uint8'],
  ['users: [{name: a, user: {as-groups: 1}}]', 'AuthInfo.users.user.as-groups of type []string'],
  ['users: [{name: a, user: {as-user-extra: 1}}]', 'AuthInfo.users.user.as-user-extra of type map[string][]string'],
  ['users: [{name: a, user: {auth-provider: 1}}]', 'AuthInfo.users.user.auth-provider of type v1.AuthProviderConfig'],
  ['users: [{name: a, user: {exec: 1}}]', 'AuthInfo.users.user.exec of type v1.ExecConfig'],
  ['users: [{name: a, user: {extensions: 1}}]', 'AuthInfo.users.user.extensions of type []v1.NamedExtension'],
  [
    'users: [{name: a, user: {auth-provider: {name: 1}}}]',
    'AuthProviderConfig.users.user.auth-provider.name of type string',
  ],
  [
    'users: [{name: a, user: {auth-provider: {config: 1}}}]',
    'AuthProviderConfig.users.user.auth-provider.config of type map[string]string',
  ],
  ['users: [{name: a, user: {exec: {command: 1}}}]', 'ExecConfig.users.user.exec.command of type string'],
  ['users: [{name: a, user: {exec: {apiVersion: 1}}}]', 'ExecConfig.users.user.exec.apiVersion of type string'],
  ['users: [{name: a, user: {exec: {installHint: 1}}}]', 'ExecConfig.users.user.exec.installHint of type string'],
  [
    'users: [{name: a, user: {exec: {interactiveMode: 1}}}]',
    'ExecConfig.users.user.exec.interactiveMode of type v1.ExecInteractiveMode',
  ],
  ['users: [{name: a, user: {exec: {args: 1}}}]', 'ExecConfig.users.user.exec.args of type []string'],
  ['users: [{name: a, user: {exec: {env: 1}}}]', 'ExecConfig.users.user.exec.env of type []v1.ExecEnvVar'],
  [
    'users: [{name: a, user: {exec: {provideClusterInfo: 1}}}]',
    'ExecConfig.users.user.exec.provideClusterInfo of type bool',
  ],
  ['users: [{name: a, user: {exec: {env: [{name: 1}]}}}]', 'ExecEnvVar.users.user.exec.env.name of type string'],
  ['users: [{name: a, user: {exec: {env: [{value: 1}]}}}]', 'ExecEnvVar.users.user.exec.env.value of type string'],
  ['contexts: [{name: a, context: {cluster: 1}}]', 'Context.contexts.context.cluster of type string'],
  ['contexts: [{name: a, context: {user: 1}}]', 'Context.contexts.context.user of type string'],
  ['contexts: [{name: a, context: {namespace: 1}}]', 'Context.contexts.context.namespace of type string'],
  [
    'contexts: [{name: a, context: {extensions: 1}}]',
    'Context.contexts.context.extensions of type []v1.NamedExtension',
  ],
  ['preferences: {colors: 1}', 'Preferences.preferences.colors of type bool'],
  ['preferences: {extensions: 1}', 'Preferences.preferences.extensions of type []v1.NamedExtension'],
  ['extensions: 1', 'Config.extensions of type []v1.NamedExtension'],
  ['extensions: [{name: 1}]', 'NamedExtension.extensions.name of type string'],
  ['clusters: [{name: 1}]', 'NamedCluster.clusters.name of type string'],
  ['users: [{name: 1}]', 'NamedAuthInfo.users.name of type string'],
  ['contexts: [{name: 1}]', 'NamedContext.contexts.name of type string'],
  ['clusters: 1', 'Config.clusters of type []v1.NamedCluster'],
  ['users: 1', 'Config.users of type []v1.NamedAuthInfo'],
  ['contexts: 1', 'Config.contexts of type []v1.NamedContext'],
  ['preferences: 1', 'Config.preferences of type v1.Preferences'],
  ['clusters: [{cluster: 1}]', 'NamedCluster.clusters.cluster of type v1.Cluster'],
  ['users: [{user: 1}]', 'NamedAuthInfo.users.user of type v1.AuthInfo'],
  ['contexts: [{context: 1}]', 'NamedContext.contexts.context of type v1.Context'],
  ['users: [{name: a, user: {as-groups: [1]}}]', 'AuthInfo.users.user.as-groups of type string'],
  ['users: [{name: a, user: {as-user-extra: {x: 1}}}]', 'AuthInfo.users.user.as-user-extra of type []string'],
  ['users: [{name: a, user: {as-user-extra: {x: [1]}}}]', 'AuthInfo.users.user.as-user-extra of type string'],
  ['users: [{name: a, user: {exec: {args: [1]}}}]', 'ExecConfig.users.user.exec.args of type string'],
  [
    'users: [{name: a, user: {auth-provider: {config: {x: 1}}}}]',
    'AuthProviderConfig.users.user.auth-provider.config of type string',
  ],
  ['users: [{name: a, user: {exec: {env: [1]}}}]', 'ExecConfig.users.user.exec.env of type v1.ExecEnvVar'],
  [
    'clusters: [{name: a, cluster: {extensions: [{name: 1}]}}]',
    'NamedExtension.clusters.cluster.extensions.name of type string',
  ],
])('refuses %s', (text, place) => {
  const message = `json: cannot unmarshal number into Go struct field ${place}`;
  expect(() => decodeKubeconfig(Buffer.from(text))).toThrow(expect.objectContaining({ message }));
});

it.each(['kind', 'apiVersion'])('refuses a number as %s', (name) => {
  const message = `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .${name} of type string`;
  expect(() => decodeKubeconfig(Buffer.from(`${name}: 1`))).toThrow(expect.objectContaining({ message }));
});

it('takes an empty file for an empty configuration', () => {
  expect(decodeKubeconfig(Buffer.from(''))).toEqual({});
});
