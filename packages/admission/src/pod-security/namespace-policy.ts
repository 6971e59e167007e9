import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import {
  areEquivalent,
  compareLevels,
  isPodSecurityLevel,
  isPolicyVersion,
  LATEST,
  LEVEL_PROBLEM,
  type LevelVersion,
  VERSION_PROBLEM,
} from './level-version.js';

/** The prefix of labels of namespaces, and of keys of audit annotations. */
export const POD_SECURITY_PREFIX = 'pod-security.kubernetes.io/';

/** The effect of a violation: the pod is refused, noted in the audit log, or causes a warning. */
export type PolicyMode = 'enforce' | 'audit' | 'warn';

/** The modes, in the order in which upstream names them. */
export const POLICY_MODES: readonly PolicyMode[] = ['enforce', 'audit', 'warn'];

/** The policies of a namespace. */
export type NamespacePolicy = Readonly<Record<PolicyMode, LevelVersion>>;

/** The policies of a namespace, and the errors of its labels. */
export interface ResolvedPolicy {
  readonly policy: NamespacePolicy;
  readonly errors: readonly FieldError[];
}

/** The labels of each mode. */
export const LEVEL_LABELS: Readonly<Record<PolicyMode, string>> = {
  enforce: `${POD_SECURITY_PREFIX}enforce`,
  audit: `${POD_SECURITY_PREFIX}audit`,
  warn: `${POD_SECURITY_PREFIX}warn`,
};
export const VERSION_LABELS: Readonly<Record<PolicyMode, string>> = {
  enforce: `${POD_SECURITY_PREFIX}enforce-version`,
  audit: `${POD_SECURITY_PREFIX}audit-version`,
  warn: `${POD_SECURITY_PREFIX}warn-version`,
};

const LABELS = [...Object.values(LEVEL_LABELS), ...Object.values(VERSION_LABELS)];
const NO_ERRORS: readonly FieldError[] = [];

type Labels = Readonly<Record<string, string>>;

/**
 * The policies that the labels of a namespace ask for; `defaults` where they ask for none. A bad level is restricted
 * for enforce and privileged for the other modes, a bad version is the latest. Namespaces without these labels cost
 * six look-ups.
 * Upstream: PolicyToEvaluate of k8s.io/pod-security-admission/api/helpers.go
 */
export function resolvePolicy(labels: Labels | undefined, defaults: NamespacePolicy): ResolvedPolicy {
  if (labels === undefined || !LABELS.some((label) => labels[label] !== undefined)) {
    return { policy: defaults, errors: NO_ERRORS };
  }
  const errors: FieldError[] = [];
  const enforce = labelled(labels, 'enforce', defaults, errors);
  const audit = labelled(labels, 'audit', defaults, errors);
  const warn = labelled(labels, 'warn', defaults, errors);
  return { policy: { enforce, audit, warn: raisedToEnforced(labels, enforce, warn) }, errors };
}

function labelled(labels: Labels, mode: PolicyMode, defaults: NamespacePolicy, errors: FieldError[]): LevelVersion {
  let { level, version } = defaults[mode];
  const levelText = labels[LEVEL_LABELS[mode]];
  if (levelText !== undefined) {
    const isLevel = isPodSecurityLevel(levelText);
    level = isLevel ? levelText : mode === 'enforce' ? 'restricted' : 'privileged';
    if (!isLevel) errors.push(labelError(LEVEL_LABELS[mode], levelText, LEVEL_PROBLEM));
  }
  const versionText = labels[VERSION_LABELS[mode]];
  if (versionText !== undefined) {
    const isVersion = isPolicyVersion(versionText);
    version = isVersion ? versionText : LATEST;
    if (!isVersion) errors.push(labelError(VERSION_LABELS[mode], versionText, VERSION_PROBLEM));
  }
  return { level, version };
}

/** Without a level of its own, warn follows an enforced level that is stricter. */
function raisedToEnforced(labels: Labels, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const isEnforced = isPodSecurityLevel(labels[LEVEL_LABELS.enforce] ?? '');
  if (labels[LEVEL_LABELS.warn] !== undefined || !isEnforced) return warn;
  if (compareLevels(enforce.level, warn.level) <= 0) return warn;
  const hasVersion = labels[VERSION_LABELS.warn] !== undefined;
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

function labelError(label: string, value: string, problem: string): FieldError {
  return fieldInvalid(FieldPath.of('metadata', 'labels').key(label), value, problem);
}

/** Reports whether no mode restricts anything. */
export function isFullyPrivileged({ enforce, audit, warn }: NamespacePolicy): boolean {
  return enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';
}

/** Reports whether two policies permit the same in every mode. */
export function areEquivalentPolicies(a: NamespacePolicy, b: NamespacePolicy): boolean {
  return POLICY_MODES.every((mode) => areEquivalent(a[mode], b[mode]));
}
