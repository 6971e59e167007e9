import type { MatchCondition, MutatingWebhook, ValidatingWebhook } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isDNS1035Label, isDNS1123Subdomain, validateLabelSelector } from '@apiserver/apimachinery/validation';
import { validateWebhookAddress } from '@apiserver/webhook/validation';
import { validateEnum } from '../../validation/enum-field.js';
import { FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, validateChoice } from './choices.js';
import type { AdmissionExpression, CheckAt } from './expression-checks.js';
import { matchExpressions, validateMatchConditions } from './match-conditions.js';
import { validateRule } from './rules.js';

/** A webhook of either kind. */
export type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const WEBHOOKS = FieldPath.of('webhooks');
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

/** The rules that an update applies only if the stored webhooks keep them. */
export interface WebhookRules {
  readonly ignoreMatchConditions: boolean;
  readonly requireNoSideEffects: boolean;
  readonly requireRecognizedVersion: boolean;
  readonly requireUniqueNames: boolean;
  readonly allowInvalidLabelValues: boolean;
}

/** The rules for new configurations. */
export const NEW_WEBHOOKS: WebhookRules = {
  ignoreMatchConditions: false,
  requireNoSideEffects: true,
  requireRecognizedVersion: true,
  requireUniqueNames: true,
  allowInvalidLabelValues: false,
};

/** The rules for an update. Upstream: ValidateMutatingWebhookConfigurationUpdate */
export function updateRules(webhooks: readonly Webhook[], stored: readonly Webhook[]): WebhookRules {
  return {
    ignoreMatchConditions: hasStoredConditions(webhooks, stored),
    requireNoSideEffects: stored.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects ?? '')),
    requireRecognizedVersion: stored.every(
      ({ admissionReviewVersions: versions }) => versions === null || versions.length === 0 || hasRecognized(versions),
    ),
    requireUniqueNames: new Set(stored.map(({ name }) => name)).size === stored.length,
    allowInvalidLabelValues: stored.some(({ namespaceSelector, objectSelector }) =>
      [namespaceSelector, objectSelector].some((selector) => validateLabelSelector(selector, {}, WEBHOOKS).length > 0),
    ),
  };
}

/** Any difference, even of their order, makes the match conditions of all webhooks new ones. */
export function hasStoredConditions(webhooks: readonly Webhook[], stored: readonly Webhook[]): boolean {
  const conditionsOf = (webhook: Webhook | undefined): readonly MatchCondition[] => webhook?.matchConditions ?? [];
  return (
    webhooks.length === stored.length &&
    webhooks.every((webhook, i) => equalJson(conditionsOf(webhook), conditionsOf(stored[i])))
  );
}

/** The expressions of webhooks. */
export function webhookExpressions(webhooks: readonly Webhook[]): AdmissionExpression[] {
  return webhooks.flatMap(({ matchConditions = [] }, i) => [
    ...matchExpressions(matchConditions, WEBHOOKS.index(i).child('matchConditions')),
  ]);
}

/** Upstream: validateMutatingWebhookConfiguration, after the metadata */
export function validateWebhooks(webhooks: readonly Webhook[], rules: WebhookRules, check: CheckAt): FieldError[] {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, i) => {
    const path = WEBHOOKS.index(i);
    const { name, admissionReviewVersions } = webhook;
    const isDuplicate = rules.requireUniqueNames && name !== '' && names.has(name);
    names.add(name);
    return [
      ...validateWebhook(webhook, rules, check, path),
      ...validateReviewVersions(admissionReviewVersions ?? [], rules, path.child('admissionReviewVersions')),
      ...(isDuplicate ? [fieldDuplicate(path.child('name'), name)] : []),
    ];
  });
}

function validateWebhook(webhook: Webhook, rules: WebhookRules, check: CheckAt, path: FieldPath): FieldError[] {
  const { sideEffects, timeoutSeconds, matchConditions = [] } = webhook;
  const selectors = { allowInvalidLabelValueInSelector: rules.allowInvalidLabelValues };
  return [
    ...validateFullName(webhook.name, path.child('name')),
    ...(webhook.rules ?? []).flatMap((rule, i) => validateRule(rule, path.child('rules').index(i))),
    ...validateChoice(webhook.failurePolicy, FAILURE_POLICIES, path.child('failurePolicy')),
    ...validateChoice(webhook.matchPolicy, MATCH_POLICIES, path.child('matchPolicy')),
    ...validateSideEffects(sideEffects, rules, path.child('sideEffects')),
    ...validateTimeout(timeoutSeconds, path.child('timeoutSeconds')),
    ...validateLabelSelector(webhook.namespaceSelector, selectors, path.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, selectors, path.child('objectSelector')),
    ...validateChoice(webhook.reinvocationPolicy, REINVOCATION_POLICIES, path.child('reinvocationPolicy')),
    ...validateWebhookAddress(webhook.clientConfig, path.child('clientConfig')),
    ...(rules.ignoreMatchConditions
      ? []
      : validateMatchConditions(matchConditions, check, path.child('matchConditions'))),
  ];
}

/** Upstream: IsFullyQualifiedName of k8s.io/apimachinery/pkg/util/validation */
function validateFullName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  const faults = isDNS1123Subdomain(name);
  if (faults.length > 0) return [fieldInvalid(path, name, faults.join(','))];
  const hasThree = name.split('.').length >= 3;
  return hasThree
    ? []
    : [fieldInvalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateSideEffects(
  sideEffects: string | null | undefined,
  { requireNoSideEffects }: WebhookRules,
  path: FieldPath,
): FieldError[] {
  const supported = requireNoSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS;
  if (sideEffects === undefined || sideEffects === null) {
    return [fieldRequired(path, `must specify one of ${supported.join(', ')}`)];
  }
  return validateEnum(sideEffects, supported, path);
}

function validateTimeout(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= 30)) return [];
  return [fieldInvalid(path, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

/** Upstream: validateAdmissionReviewVersions */
function validateReviewVersions(versions: readonly string[], rules: WebhookRules, path: FieldPath): FieldError[] {
  const recognized = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [fieldRequired(path, `must specify one of ${recognized}`)];
  const known = new Set<string>();
  const errors = versions.flatMap((version, i) => {
    const at = path.index(i);
    if (known.has(version)) return [fieldInvalid(at, version, 'duplicate version')];
    known.add(version);
    return isDNS1035Label(version).map((fault) => fieldInvalid(at, version, fault));
  });
  if (!rules.requireRecognizedVersion || hasRecognized(versions)) return errors;
  return [...errors, fieldInvalid(path, versions, `must include at least one of ${recognized}`)];
}

function hasRecognized(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version));
}
