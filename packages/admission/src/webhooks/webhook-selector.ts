import { newForbidden } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, Authorizer, EndpointVersion, Logger } from '@apiserver/apiserver-contracts';
import type { EvaluationContext } from '../expressions/evaluation-context.js';
import type { ConditionsOwner, MatchConditionMetrics } from '../matching/match-condition-metrics.js';
import type { MatchConditions } from '../matching/match-conditions.js';
import type { RequestMatcher } from '../matching/request-matcher.js';
import type { VersionedRequest } from '../matching/versioned-request.js';
import type { ConfiguredWebhook, WebhookType } from './configured-webhook.js';

type Expressions = typeof import('./webhook-conditions.js');

/** Dependencies of a `WebhookSelector`. */
export interface WebhookSelectorOptions {
  readonly matcher: RequestMatcher;
  readonly authorizer: Authorizer;
  readonly metrics: MatchConditionMetrics;
  readonly logger: Logger;
  readonly type: WebhookType;
}

/** The state of one request that the conditions of its webhooks share. */
export class SelectedRequest {
  readonly versions: VersionedRequest;
  context: EvaluationContext | undefined;

  constructor(versions: VersionedRequest) {
    this.versions = versions;
  }

  get attributes(): AdmissionAttributes {
    return this.versions.attributes;
  }
}

/**
 * Decides whether a webhook is called, and in which version.
 * Upstream: ShouldCallHook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go
 */
export class WebhookSelector {
  readonly #options: WebhookSelectorOptions;
  readonly #conditions = new WeakMap<ConfiguredWebhook, Promise<MatchConditions>>();
  #expressions: Promise<InstanceType<Expressions['WebhookConditions']>> | undefined;

  constructor(options: WebhookSelectorOptions) {
    this.#options = options;
  }

  /** The version in which to call the webhook; undefined if it is not called. Throws a StatusError. */
  async select(webhook: ConfiguredWebhook, request: SelectedRequest): Promise<EndpointVersion | undefined> {
    const match = this.#options.matcher.match(request.attributes, webhook.criteria);
    const version = match instanceof Promise ? await match : match;
    const { matchConditions = [] } = webhook.fields;
    if (version === undefined || matchConditions.length === 0) return version;
    return (await this.#meetsConditions(webhook, request, version)) ? version : undefined;
  }

  async #meetsConditions(
    webhook: ConfiguredWebhook,
    request: SelectedRequest,
    version: EndpointVersion,
  ): Promise<boolean> {
    const { logger, metrics, type } = this.#options;
    const { attributes } = request;
    const expressions = await this.#loaded();
    let conditions = this.#conditions.get(webhook);
    if (conditions === undefined) {
      conditions = expressions.compile(webhook, metrics.observer({ name: webhook.name, kind: 'webhook', type }));
      this.#conditions.set(webhook, conditions);
    }
    request.context ??= expressions.contextOf(attributes);
    const result = await (await conditions).match(await request.versions.at(version), request.context);
    if ('error' in result) {
      logger.warning('Failed evaluating match conditions, failing closed', {
        webhook: webhook.name,
        error: result.error,
      });
      throw newForbidden(attributes.resource, attributes.name, result.error);
    }
    const owner: ConditionsOwner = { name: webhook.name, kind: 'webhook', type: type === 'admit' ? type : 'validate' };
    if (!result.matches) metrics.excluded(owner, attributes.operation);
    return result.matches;
  }

  /** Expressions take megabytes of code; most webhooks have none. */
  #loaded() {
    this.#expressions ??= import('./webhook-conditions.js').then(
      ({ WebhookConditions }) => new WebhookConditions(this.#options.authorizer),
    );
    return this.#expressions;
  }
}
