import { isDNS1123Label, isDNS1123Subdomain } from '@apiserver/apimachinery/validation';

const NODE_PREFIX = 'system:node:';
const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

/** The node of a user name; undefined if it is not a node's. */
export function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE_PREFIX)) return undefined;
  const name = username.slice(NODE_PREFIX.length);
  return isDNS1123Subdomain(name).length === 0 ? name : undefined;
}

/** Namespace and name of a service account. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The service account of a user name; undefined if it is not one's.
 * Upstream: k8s.io/apiserver/pkg/authentication/serviceaccount.SplitUsername
 */
export function serviceAccountOf(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(SERVICE_ACCOUNT_PREFIX)) return undefined;
  const [namespace, name, ...more] = username.slice(SERVICE_ACCOUNT_PREFIX.length).split(':');
  if (namespace === undefined || name === undefined || more.length > 0) return undefined;
  if (isDNS1123Label(namespace).length > 0 || isDNS1123Subdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The groups that a service account of a namespace is always in. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
