import { durationClock } from '@apiserver/apimachinery/clock';
import { kubeconfigUsers } from '@apiserver/rest-client';
import { WebhookClients } from '@apiserver/webhook';
import type { RequestMatcher } from '../matching/request-matcher.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import type { WebhookType } from './configured-webhook.js';
import { MutatingDispatcher } from './mutating-dispatcher.js';
import { ValidatingDispatcher } from './validating-dispatcher.js';
import { WebhookCaller } from './webhook-caller.js';
import type { WebhookUsers } from './webhook-configuration.js';
import { CallOutcomes } from './webhook-outcome.js';
import { WebhookSelector } from './webhook-selector.js';

/** Makes the dispatcher of one kind of webhooks. */
export function newDispatcher(
  type: WebhookType,
  { webhooks: environment, authorizer, matchConditionMetrics: metrics }: AdmissionPluginDependencies,
  { matcher, users }: { readonly matcher: RequestMatcher; readonly users: WebhookUsers | undefined },
): MutatingDispatcher | ValidatingDispatcher {
  const { clock, logger } = environment;
  const userFor = users && kubeconfigUsers(users.kubeconfig, users.directory, () => durationClock(clock).now());
  const clients = new WebhookClients({ ...environment.clients, ...(userFor && { userFor }) });
  const options = {
    selector: new WebhookSelector({ matcher, authorizer, metrics, logger, type }),
    caller: new WebhookCaller(type, environment, clients),
    outcomes: new CallOutcomes(type, environment),
  };
  return type === 'admit' ? new MutatingDispatcher(options, environment) : new ValidatingDispatcher(options);
}
