import type { CustomResourceConversion } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';

/**
 * Refuses conversion by webhook: it would store objects that cannot be read in another version.
 *
 * Upstream: validateCustomResourceConversion of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateConversion(conversion: CustomResourceConversion | undefined, at: FieldPath): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const path = at.child('strategy');
  if (strategy === '') return [fieldRequired(path, '')];
  if (strategy === 'Webhook') {
    return [fieldForbidden(path, 'this server does not convert by webhook yet; use None')];
  }
  if (strategy !== 'None') return [fieldNotSupported(path, strategy, ['None', 'Webhook'])];
  if (webhook === undefined) return [];
  const detail = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook.clientConfig === undefined ? [] : [fieldForbidden(at.child('webhookClientConfig'), detail)]),
    ...((webhook.conversionReviewVersions ?? []).length === 0
      ? []
      : [fieldForbidden(at.child('conversionReviewVersions'), detail)]),
  ];
}
