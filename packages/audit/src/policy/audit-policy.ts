import type { AuditLevel, AuditStage } from '../event/audit-event.js';

/** Resources of a rule. Upstream: audit.k8s.io/v1 GroupResources */
export interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A rule of a policy. Empty lists match everything. Upstream: audit.k8s.io/v1 PolicyRule */
export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** The rules, of which the first match counts. Upstream: audit.k8s.io/v1 Policy */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}
