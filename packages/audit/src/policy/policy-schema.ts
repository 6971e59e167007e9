import { ObjectMeta } from '@apiserver/api/meta/v1';
import {
  BOOL,
  defineKind,
  type KindSchema,
  list,
  named,
  OMIT_EMPTY,
  POINTER,
  STRING,
  struct,
} from '@apiserver/apimachinery/schema';
import type { AuditPolicy } from './audit-policy.js';

/** A policy as its file has it: texts are not checked. */
export type DecodedPolicy = AuditPolicy & { readonly apiVersion?: string; readonly kind?: string };

/** The schema of audit.k8s.io/v1 Policy. Upstream: k8s.io/apiserver/pkg/apis/audit/v1/types.go */
export function policyKind(): KindSchema<DecodedPolicy> {
  const stages = list(named('v1.Stage'), 'atomic');
  const texts = list(STRING, 'atomic');
  const resources = struct('audit.v1.GroupResources', 'v1.GroupResources', () => [
    ['group', 1, STRING, OMIT_EMPTY],
    ['resources', 2, texts, OMIT_EMPTY],
    ['resourceNames', 3, texts, OMIT_EMPTY],
  ]);
  const rule = struct('audit.v1.PolicyRule', 'v1.PolicyRule', () => [
    ['level', 1, named('v1.Level')],
    ['users', 2, texts, OMIT_EMPTY],
    ['userGroups', 3, texts, OMIT_EMPTY],
    ['verbs', 4, texts, OMIT_EMPTY],
    ['resources', 5, list(resources, 'atomic'), OMIT_EMPTY],
    ['namespaces', 6, texts, OMIT_EMPTY],
    ['nonResourceURLs', 7, texts, OMIT_EMPTY],
    ['omitStages', 8, stages, OMIT_EMPTY],
    ['omitManagedFields', 9, BOOL, OMIT_EMPTY + POINTER],
  ]);
  const policy = struct('audit.v1.Policy', 'v1.Policy', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['metadata', 1, ObjectMeta, OMIT_EMPTY],
    ['rules', 2, list(rule, 'atomic')],
    ['omitStages', 3, stages, OMIT_EMPTY],
    ['omitManagedFields', 4, BOOL, OMIT_EMPTY],
  ]);
  return defineKind(['audit.k8s.io', 'v1', 'Policy'], policy);
}
