import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { urlFault } from '@apiserver/apimachinery/values';
import type { BackendDialer } from '@apiserver/proxy/backend';
import { decodeKubeconfig } from './decode-kubeconfig.js';
import { type FollowedText, followedFile } from './followed-text.js';
import { type ClusterEntry, type Kubeconfig, readKubeconfig, type UserEntry } from './kubeconfig-entries.js';
import { missingFile } from './missing-file.js';
import { newRestConfig, type RestConfig, type RestConfigFields } from './rest-config.js';

/** Milliseconds for which files that a kubeconfig names are taken as they were read. */
const CERTIFICATE_FRESH_MS = 1_000;
const TOKEN_FRESH_MS = 50_000;

/**
 * The server and the user of a kubeconfig's current context. Files that it names are followed. Throws an Error for a
 * file that cannot be read or used. Exec plugins, auth providers and proxies are refused.
 * Upstream: k8s.io/client-go/tools/clientcmd (ClientConfigLoadingRules with an ExplicitPath,
 * DirectClientConfig.ClientConfig)
 */
export function loadKubeconfig(path: string, now: () => number, dial?: BackendDialer): RestConfig {
  const bytes = missingFile(path, 'stat', () => readFileSync(path));
  const { problems, cluster, user, clusterName, userName } = currentOf(decoded(path, bytes));
  const errors = [...problems, ...userProblems(userName, user), ...clusterProblems(clusterName, cluster)];
  if (errors.length === 1 && errors[0] === NO_SERVER) throw invalid([NO_CONFIGURATION]);
  if (cluster === undefined || errors.length > 0) throw invalid(errors);
  return newRestConfig({ ...serverFields(cluster, user, now), ...userFields(user, now), dial });
}

const NO_SERVER = 'cluster has no server defined';
const NO_CONFIGURATION = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

function decoded(path: string, bytes: Uint8Array): Kubeconfig {
  try {
    return readKubeconfig(decodeKubeconfig(bytes), dirname(path));
  } catch (error) {
    const message = messageOf(error);
    throw new Error(`error loading config file ${quote(path)}: ${message}`, { cause: error });
  }
}

/** Upstream: errConfigurationInvalid of clientcmd */
function invalid(messages: readonly string[]): Error {
  return new Error(`invalid configuration: ${aggregateMessages(messages)}`);
}

function currentOf({ contexts, clusters, users, currentContext }: Kubeconfig) {
  const context = contexts.get(currentContext);
  const isUnknown = currentContext !== '' && context === undefined;
  const problems = isUnknown ? [`context was not found for specified context: ${currentContext}`] : [];
  const { cluster: clusterName = '', user: userName = '' } = context ?? {};
  return { problems, clusterName, userName, cluster: clusters.get(clusterName), user: users.get(userName) ?? {} };
}

/** Upstream: validateClusterInfo of clientcmd */
function clusterProblems(name: string, cluster: ClusterEntry | undefined): readonly string[] {
  if (cluster === undefined) return [NO_SERVER];
  const problems: string[] = [];
  const { server = '' } = cluster;
  if (server === '') {
    problems.push(name === '' ? 'default cluster has no server defined' : `no server found for cluster ${quote(name)}`);
  } else if (/^[^/]+:\/\/./.test(server) && !isHttpUrl(server)) {
    problems.push(`server ${quote(server)} of cluster ${quote(name)} must be a URL with the scheme http or https`);
  }
  if (cluster.certificateAuthority && cluster.certificateAuthorityData) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  }
  if (cluster.proxyUrl) problems.push(`the 'proxy-url' of cluster ${quote(name)} is not supported by this server`);
  problems.push(...unreadable(cluster.certificateAuthority, `certificate-authority`, name));
  return problems;
}

/** Upstream: validateAuthInfo of clientcmd */
function userProblems(name: string, user: UserEntry): readonly string[] {
  const problems: string[] = [];
  const methods = [...(user.token ? ['token'] : []), ...(user.username || user.password ? ['basicAuth'] : [])];
  if (user.clientCertificate || user.clientCertificateData) problems.push(...certificateProblems(name, user));
  if (user.hasPlugin) problems.push(`the plugin of user ${quote(name)} is not supported by this server`);
  if (methods.length > 1) {
    problems.push(
      `more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`,
    );
  }
  const { impersonation } = user;
  const isPartial = impersonation !== undefined && impersonation.user === '';
  if (isPartial) problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return problems;
}

function certificateProblems(name: string, user: UserEntry): readonly string[] {
  const problems: string[] = [];
  if (user.clientCertificate && user.clientCertificateData) {
    problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
  }
  if (user.clientKey && user.clientKeyData) {
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  }
  if (!user.clientKey && !user.clientKeyData) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  problems.push(...unreadable(user.clientCertificate, 'client-cert', name));
  problems.push(...unreadable(user.clientKey, 'client-key', name));
  return problems;
}

function unreadable(path: string | undefined, what: string, name: string): readonly string[] {
  if (!path) return [];
  try {
    missingFile(path, 'open', () => readFileSync(path));
    return [];
  } catch (error) {
    const message = messageOf(error);
    return [`unable to read ${what} ${path} for ${name} due to ${message}`];
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function serverFields(cluster: ClusterEntry, user: UserEntry, now: () => number): Omit<RestConfigFields, 'token'> {
  const { certificateAuthority, certificateAuthorityData, serverName, skipVerify = false } = cluster;
  const ca = pemOf(certificateAuthorityData, certificateAuthority, now);
  const isSecure = ca !== undefined || skipVerify || Boolean(user.clientCertificate || user.clientCertificateData);
  return {
    server: serverUrl(cluster.server ?? '', isSecure),
    verify: !skipVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/**
 * The URL of a server, which may be written as a host with a port. Throws an Error for other texts.
 * Upstream: DefaultServerURL of k8s.io/client-go/rest
 */
function serverUrl(server: string, isSecure: boolean): URL {
  if (isHttpUrl(server)) return new URL(server);
  const whole = `${isSecure ? 'https' : 'http'}://${server}`;
  const fault = urlFault(whole);
  const url = fault === undefined ? URL.parse(whole) : null;
  if (url?.pathname === '/') return url;
  throw new Error(fault ?? `host must be a URL or a host:port pair: ${quote(server)}`);
}

/** The credentials of a user. Throws an Error for a file that cannot be read. */
export function userFields(user: UserEntry, now: () => number): Omit<RestConfigFields, 'server'> {
  const { token, tokenFile, username, password = '', impersonation } = user;
  const certificate = pemOf(user.clientCertificateData, user.clientCertificate, now);
  const key = pemOf(user.clientKeyData, user.clientKey, now);
  const bearer = tokenFile ? tokenIn(tokenFile, now) : token && (() => token);
  return {
    ...(certificate && key ? { certificate, key } : {}),
    ...(bearer ? { token: bearer } : {}),
    ...(username ? { basic: `${username}:${password}` } : {}),
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

function tokenIn(path: string, now: () => number): FollowedText {
  return missingFile(path, 'open', () => followedFile({ path, freshFor: TOKEN_FRESH_MS, now }));
}

/** Embedded data goes before a file. */
function pemOf(data: string | undefined, path: string | undefined, now: () => number): FollowedText | undefined {
  if (data) {
    const pem = Buffer.from(data, 'base64').toString();
    return () => pem;
  }
  return path ? followedFile({ path, freshFor: CERTIFICATE_FRESH_MS, now }) : undefined;
}
