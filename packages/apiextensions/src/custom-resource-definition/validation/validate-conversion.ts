import type { CustomResourceConversion, CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { isDNS1035Label } from '@apiserver/apimachinery/validation';
import { validateCABundle, validateWebhookAddress } from '@apiserver/webhook/validation';
import { isConditionTrue } from '../types.js';

/** Versions of ConversionReview that upstream accepts. */
const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Rules that an update of an older definition may relax. */
export interface ConversionRules {
  readonly allowInvalidCABundle: boolean;
  readonly requireRecognizedVersion: boolean;
}

/** Upstream: ValidateCustomResourceDefinition and …Update of …/pkg/apis/apiextensions/validation */
export function conversionRules(old: CustomResourceDefinition | undefined): ConversionRules {
  if (old === undefined) return { allowInvalidCABundle: true, requireRecognizedVersion: true };
  const versions = old.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    allowInvalidCABundle: !isConditionTrue(old, 'Established') || hasInvalidCABundle(old),
    requireRecognizedVersion: versions.length === 0 || versions.some((version) => REVIEW_VERSIONS.includes(version)),
  };
}

/** Reports whether the caBundle of a definition's webhook cannot be used. */
export function hasInvalidCABundle({ spec }: Pick<CustomResourceDefinition, 'spec'>): boolean {
  const { caBundle = '' } = spec.conversion?.webhook?.clientConfig ?? {};
  return validateCABundle(FieldPath.none, caBundle).length > 0;
}

/** Upstream: validateCustomResourceConversion of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation */
export function validateConversion(
  { conversion, preserveUnknownFields }: CustomResourceDefinition['spec'],
  at: FieldPath,
  rules: ConversionRules,
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy } = conversion;
  const path = at.child('strategy');
  const detail = 'must be None if spec.preserveUnknownFields is true';
  return [
    ...(strategy !== 'None' && preserveUnknownFields === true ? [fieldInvalid(path, strategy, detail)] : []),
    ...strategyErrors(strategy, path),
    ...(strategy === 'Webhook' ? webhookErrors(conversion, at, rules) : strayErrors(conversion, at)),
  ];
}

function strategyErrors(strategy: string, path: FieldPath): FieldError[] {
  if (strategy === '') return [fieldRequired(path, '')];
  return strategy === 'None' || strategy === 'Webhook' ? [] : [fieldNotSupported(path, strategy, ['None', 'Webhook'])];
}

function strayErrors({ webhook }: CustomResourceConversion, at: FieldPath): FieldError[] {
  const detail = 'should not be set when strategy is not set to Webhook';
  const hasVersions = (webhook?.conversionReviewVersions ?? []).length > 0;
  return [
    ...(webhook?.clientConfig === undefined ? [] : [fieldForbidden(at.child('webhookClientConfig'), detail)]),
    ...(hasVersions ? [fieldForbidden(at.child('conversionReviewVersions'), detail)] : []),
  ];
}

function webhookErrors({ webhook }: CustomResourceConversion, at: FieldPath, rules: ConversionRules): FieldError[] {
  const path = at.child('webhookClientConfig');
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  return [
    ...(clientConfig === undefined
      ? [fieldRequired(path, 'required when strategy is set to Webhook')]
      : clientErrors(clientConfig, path, rules)),
    ...versionErrors(conversionReviewVersions ?? [], at.child('conversionReviewVersions'), rules),
  ];
}

type ClientConfig = NonNullable<NonNullable<CustomResourceConversion['webhook']>['clientConfig']>;

function clientErrors({ url, service, caBundle = '' }: ClientConfig, path: FieldPath, rules: ConversionRules) {
  return [
    ...validateWebhookAddress({ url, service }, path),
    ...(rules.allowInvalidCABundle ? [] : validateCABundle(path.child('caBundle'), caBundle)),
  ];
}

/** Upstream: validateConversionReviewVersions */
function versionErrors(versions: readonly string[], path: FieldPath, rules: ConversionRules): FieldError[] {
  if (versions.length === 0) return [fieldRequired(path, '')];
  const isRepeated = seenBefore<string>();
  const errors = versions.flatMap((version, i) => {
    if (isRepeated(version)) return [fieldInvalid(path.index(i), version, 'duplicate version')];
    return isDNS1035Label(version).map((fault) => fieldInvalid(path.index(i), version, fault));
  });
  if (!rules.requireRecognizedVersion || versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...errors, fieldInvalid(path, versions, detail)];
}
