import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { lowerCase } from '@apiserver/apimachinery/text';
import { storageVersionOf } from './types.js';

const WEBHOOK_PORT = 443;

/** Mutates. Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go */
export function applyDefinitionDefaults({ spec, status }: CustomResourceDefinition): void {
  const { names } = spec;
  if (!names.singular && names.kind !== '') names.singular = lowerCase(names.kind);
  if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const { webhook } = spec.conversion;
  // The internal form has only what is in the webhook, so an empty one is lost.
  if (webhook && webhook.clientConfig === undefined && !webhook.conversionReviewVersions?.length) {
    delete spec.conversion.webhook;
  }
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= WEBHOOK_PORT;
  const storage = storageVersionOf({ spec })?.name;
  if (storage !== undefined && (status.storedVersions ?? []).length === 0) status.storedVersions = [storage];
}
