import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { quote } from '@apiserver/apimachinery/text';

export const API_APPROVED_ANNOTATION = 'api-approved.kubernetes.io';

/** The approval state of an API in a community group, with its reason. */
export interface ApiApproval {
  readonly state: 'Approved' | 'Bypassed' | 'Missing' | 'Invalid';
  readonly reason: string;
}

/**
 * Reports whether a group belongs to the community. Upstream: IsProtectedCommunityGroup of
 * k8s.io/apiextensions-apiserver/pkg/apihelpers
 */
export function isProtectedGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** Upstream: GetAPIApprovalState of k8s.io/apiextensions-apiserver/pkg/apihelpers */
export function apiApprovalOf({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): ApiApproval {
  const annotation = metadata.annotations?.[API_APPROVED_ANNOTATION] ?? '';
  const wanted = `protected groups must have approval annotation ${quote(API_APPROVED_ANNOTATION)}`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (annotation === '') return { state: 'Missing', reason: `${wanted}, ${see}` };
  if (annotation.startsWith('unapproved')) return { state: 'Bypassed', reason: `not approved: ${quote(annotation)}` };
  if (isAbsoluteUrl(annotation)) return { state: 'Approved', reason: `approved in ${annotation}` };
  return { state: 'Invalid', reason: `${wanted} with either a URL or a reason starting with "unapproved", ${see}` };
}

function isAbsoluteUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== '';
}
