import { resolve } from 'node:path';
import { isMembers } from '@apiserver/apimachinery/json';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import type { Impersonation } from './rest-config.js';

/** A cluster of a kubeconfig, as far as it is used. */
export interface ClusterEntry {
  readonly server?: string;
  /** An absolute path. */
  readonly certificateAuthority?: string;
  /** PEM in base64. */
  readonly certificateAuthorityData?: string;
  readonly serverName?: string;
  readonly skipVerify?: boolean;
  readonly proxyUrl?: string;
}

/** A user of a kubeconfig, as far as it is used. Paths are absolute, data is PEM in base64. */
export interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly clientCertificate?: string;
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  readonly clientKeyData?: string;
  readonly impersonation?: Impersonation;
  /** It names an exec plugin or an auth provider. */
  readonly hasPlugin?: boolean;
}

/** A kubeconfig's entries by their names. Upstream: k8s.io/client-go/tools/clientcmd/api.Config */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, { readonly cluster: string; readonly user: string }>;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
}

type Fields = ReadonlyMap<string, unknown>;

/**
 * Indexes a decoded kubeconfig. Relative paths start at `directory`. Throws a ConfigurationError for duplicate names.
 */
export function readKubeconfig(value: unknown, directory: string): Kubeconfig {
  const fields = fieldsOf(value);
  return {
    currentContext: textOf(fields, 'current-context') ?? '',
    contexts: named(fields, 'contexts', 'context', (context) => ({
      cluster: textOf(context, 'cluster') ?? '',
      user: textOf(context, 'user') ?? '',
    })),
    clusters: named(fields, 'clusters', 'cluster', (cluster) => clusterOf(cluster, directory)),
    users: named(fields, 'users', 'user', (user) => userOf(user, directory)),
  };
}

function clusterOf(cluster: Fields, directory: string): ClusterEntry {
  return present({
    server: textOf(cluster, 'server'),
    certificateAuthority: pathOf(cluster, 'certificate-authority', directory),
    certificateAuthorityData: textOf(cluster, 'certificate-authority-data'),
    serverName: textOf(cluster, 'tls-server-name'),
    skipVerify: cluster.get('insecure-skip-tls-verify') === true || undefined,
    proxyUrl: textOf(cluster, 'proxy-url'),
  });
}

function userOf(user: Fields, directory: string): UserEntry {
  return present({
    token: textOf(user, 'token'),
    tokenFile: pathOf(user, 'tokenFile', directory),
    username: textOf(user, 'username'),
    password: textOf(user, 'password'),
    clientCertificate: pathOf(user, 'client-certificate', directory),
    clientCertificateData: textOf(user, 'client-certificate-data'),
    clientKey: pathOf(user, 'client-key', directory),
    clientKeyData: textOf(user, 'client-key-data'),
    impersonation: impersonationOf(user),
    hasPlugin: user.has('exec') || user.has('auth-provider') || undefined,
  });
}

function impersonationOf(user: Fields): Impersonation | undefined {
  const extra = [...fieldsOf(user.get('as-user-extra'))].map(([name, values]) => [name, textsOf(values)] as const);
  const impersonation = {
    user: textOf(user, 'as') ?? '',
    uid: textOf(user, 'as-uid') ?? '',
    groups: textsOf(user.get('as-groups')),
    extra: Object.fromEntries(extra),
  };
  const { uid, groups } = impersonation;
  const isAbsent = impersonation.user === '' && uid === '' && groups.length === 0 && extra.length === 0;
  return isAbsent ? undefined : impersonation;
}

const LISTS = {
  clusters: '*[]NamedCluster into *map[string]*api.Cluster',
  contexts: '*[]NamedContext into *map[string]*api.Context',
  users: '*[]NamedAuthInfo into *map[string]*api.AuthInfo',
};

/**
 * Upstream's error prints the entries, credentials included.
 * Upstream: k8s.io/client-go/tools/clientcmd/api/v1/conversion.go
 */
function named<T>(
  fields: Fields,
  list: keyof typeof LISTS,
  entry: string,
  read: (fields: Fields) => T,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  const items = fields.get(list);
  for (const item of Array.isArray(items) ? items.map(fieldsOf) : []) {
    const name = textOf(item, 'name') ?? '';
    if (entries.has(name)) {
      throw new ConfigurationError(`error converting ${LISTS[list]}: duplicate name "${name}" in list`);
    }
    entries.set(name, read(fieldsOf(item.get(entry))));
  }
  return entries;
}

function fieldsOf(value: unknown): Fields {
  return new Map(isMembers(value) ? Object.entries(value) : []);
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function pathOf(fields: Fields, name: string, directory: string): string | undefined {
  const path = textOf(fields, name);
  return path === undefined ? undefined : resolve(directory, path);
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves undefined members out. */
function present<T extends object>(value: T): Present<T> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
