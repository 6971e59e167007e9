import { type UserInfo, wellKnownGroups } from '@apiserver/apiserver-contracts';
import { CREDENTIAL_ID_KEY } from '../credential-id.js';

const USERNAME_PREFIX = 'system:serviceaccount:';

/**
 * The service account of a token, and the objects that the token is bound to.
 * Upstream: serviceaccount.ServiceAccountInfo
 */
export interface ServiceAccountInfo {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid: string };
  /** The token's ID. */
  readonly jti?: string;
}

/** `system:serviceaccount:namespace:name` */
export function serviceAccountUsername(namespace: string, name: string): string {
  return `${USERNAME_PREFIX}${namespace}:${name}`;
}

/**
 * The UserInfo of a service account.
 * Upstream: ServiceAccountInfo.UserInfo in k8s.io/apiserver/pkg/authentication/serviceaccount/util.go
 */
export function serviceAccountUser({ namespace, name, uid, pod, node, jti }: ServiceAccountInfo): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined && pod.name !== '' && pod.uid !== '') {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  if (jti !== undefined && jti !== '') extra[CREDENTIAL_ID_KEY] = [`JTI=${jti}`];
  if (node !== undefined && node.name !== '') {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    if (node.uid !== '') extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  return {
    name: serviceAccountUsername(namespace, name),
    uid,
    groups: [wellKnownGroups.serviceAccounts, `${wellKnownGroups.serviceAccounts}:${namespace}`],
    extra,
  };
}
