import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { type ValidatedService, validateWebhookService } from './webhook-service.js';
import { validateWebhookURL } from './webhook-url.js';

/** The address of a webhook: one of both. */
export interface WebhookAddress {
  readonly url?: string | undefined;
  /** Its port is 0 if none is stated. */
  readonly service?: (Omit<ValidatedService, 'port'> & { readonly port?: number | undefined }) | undefined;
}

/**
 * Upstream: the same steps in pkg/apis/admissionregistration/validation/validation.go and in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
 */
export function validateWebhookAddress({ url, service }: WebhookAddress, path: FieldPath): FieldError[] {
  if (url !== undefined && service === undefined) return validateWebhookURL(path.child('url'), url, true);
  if (url === undefined && service !== undefined) {
    return validateWebhookService(path.child('service'), { ...service, port: service.port ?? 0 });
  }
  return [fieldRequired(path, 'exactly one of url or service is required')];
}
