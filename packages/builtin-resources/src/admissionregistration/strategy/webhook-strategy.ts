import type { KubeObject } from '@apiserver/apimachinery';
import { equalJson, isUncanonical } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration } from '@apiserver/resource-kit';
import { ExpressionChecks } from '../validation/expression-checks.js';
import { validateMetadata } from '../validation/metadata.js';
import {
  hasStoredConditions,
  NEW_WEBHOOKS,
  updateRules,
  validateWebhooks,
  type Webhook,
  webhookExpressions,
} from '../validation/webhooks.js';

/** A configuration of webhooks of either kind. */
type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly Webhook[] };

const SCOPE = { params: false, variables: false };

/**
 * Upstream: pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go and
 * validatingwebhookconfiguration/strategy.go
 */
export function webhookStrategy<T extends WebhookConfiguration>(): Strategy<T> {
  const checks = new ExpressionChecks<T>();
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, configuration) {
      configuration.metadata.generation = 1;
      return checks.prepare(configuration, webhookExpressions(webhooksOf(configuration)), SCOPE);
    },
    validate: (_context, configuration) => [
      ...validateMetadata(configuration),
      ...validateWebhooks(webhooksOf(configuration), NEW_WEBHOOKS, checks.of(configuration)),
    ],
    prepareForUpdate(_context, configuration, old) {
      const [webhooks, stored] = [webhooksOf(configuration), webhooksOf(old)];
      if (!equalJson(webhooks, stored) || sendsEmptyLists(configuration)) countGeneration(configuration, old);
      const expressions = hasStoredConditions(webhooks, stored) ? [] : webhookExpressions(webhooks);
      return checks.prepare(configuration, expressions, SCOPE);
    },
    validateUpdate(_context, configuration, old) {
      const webhooks = webhooksOf(configuration);
      const rules = updateRules(webhooks, webhooksOf(old));
      return [...validateMetadata(configuration), ...validateWebhooks(webhooks, rules, checks.of(configuration))];
    },
  };
}

function webhooksOf({ webhooks = [] }: WebhookConfiguration): readonly Webhook[] {
  return webhooks;
}

/** Upstream compares by reflect.DeepEqual, to which an empty list differs from the absent one that is stored. */
function sendsEmptyLists(configuration: WebhookConfiguration): boolean {
  const { metadata, webhooks } = configuration;
  if (webhooks !== undefined) return isUncanonical(webhooks);
  return isUncanonical(configuration) && !isUncanonical(metadata);
}
