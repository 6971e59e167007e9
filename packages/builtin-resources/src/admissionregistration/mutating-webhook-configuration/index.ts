import { MutatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { withStaticNames } from '../strategy/static-names.js';
import { mutatingWebhookConfigurationColumns } from './columns.js';
import { applyMutatingWebhookDefaults } from './defaults.js';
import { mutatingWebhookConfigurationStrategy } from './strategy.js';

/** MutatingWebhookConfigurations: webhooks that change objects. */
export const mutatingWebhookConfigurationDeclaration = defineResource<MutatingWebhookConfiguration>({
  categories: ['api-extensions'],
  versions: [{ schema: MutatingWebhookConfiguration, applyDefaults: applyMutatingWebhookDefaults }],
  strategy: mutatingWebhookConfigurationStrategy,
  columns: mutatingWebhookConfigurationColumns,
});

/** The kind for one server, which may reserve names for files. */
export function mutatingWebhookConfigurations(
  features: FeatureGates,
): ResourceDefinition<MutatingWebhookConfiguration> {
  const declaration = mutatingWebhookConfigurationDeclaration;
  return { ...declaration, strategy: withStaticNames(declaration.strategy, features) };
}
