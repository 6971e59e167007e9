import type { AdmissionAttributes, Authorizer } from '@apiserver/apiserver-contracts';
import { PolicyCompiler, SharedEnvironment } from '@apiserver/cel';
import { EvaluationContext } from '../expressions/evaluation-context.js';
import { MatchConditions, type MatchConditionsObserver } from '../matching/match-conditions.js';
import type { ConfiguredWebhook } from './configured-webhook.js';

/** Compiles and evaluates the match conditions of webhooks. */
export class WebhookConditions {
  readonly #shared = new SharedEnvironment();
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  compile({ fields, ignoresFailures }: ConfiguredWebhook, observer: MatchConditionsObserver): MatchConditions {
    return new MatchConditions({
      conditions: fields.matchConditions ?? [],
      failurePolicy: ignoresFailures ? 'Ignore' : 'Fail',
      compiler: new PolicyCompiler(this.#shared, { params: false, variables: false }),
      observer,
    });
  }

  contextOf(attributes: AdmissionAttributes): EvaluationContext {
    return new EvaluationContext(this.#authorizer, attributes);
  }
}
