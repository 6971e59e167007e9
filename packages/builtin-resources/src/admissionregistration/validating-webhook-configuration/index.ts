import { ValidatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { withStaticNames } from '../strategy/static-names.js';
import { validatingWebhookConfigurationColumns } from './columns.js';
import { applyValidatingWebhookDefaults } from './defaults.js';
import { validatingWebhookConfigurationStrategy } from './strategy.js';

/** ValidatingWebhookConfigurations: webhooks that accept or refuse requests. */
export const validatingWebhookConfigurationDeclaration = defineResource<ValidatingWebhookConfiguration>({
  categories: ['api-extensions'],
  versions: [{ schema: ValidatingWebhookConfiguration, applyDefaults: applyValidatingWebhookDefaults }],
  strategy: validatingWebhookConfigurationStrategy,
  columns: validatingWebhookConfigurationColumns,
});

/** The kind for one server, which may reserve names for files. */
export function validatingWebhookConfigurations(
  features: FeatureGates,
): ResourceDefinition<ValidatingWebhookConfiguration> {
  const declaration = validatingWebhookConfigurationDeclaration;
  return { ...declaration, strategy: withStaticNames(declaration.strategy, features) };
}
