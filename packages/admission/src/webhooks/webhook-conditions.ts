import { inSlices } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, Authorizer } from '@apiserver/apiserver-contracts';
import { PolicyCompiler, SharedEnvironment } from '@apiserver/cel';
import { compileExpressions } from '../expressions/compile-expressions.js';
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

  /** Compiles the conditions of a webhook. Other requests have the event loop in between. */
  async compile(
    { fields, ignoresFailures }: ConfiguredWebhook,
    observer: MatchConditionsObserver,
  ): Promise<MatchConditions> {
    const compiler = new PolicyCompiler(this.#shared, { params: false, variables: false });
    const texts = (fields.matchConditions ?? []).map(({ expression }) => expression);
    return new MatchConditions({
      conditions: await inSlices(compileExpressions(compiler, texts, 'condition')),
      failurePolicy: ignoresFailures ? 'Ignore' : 'Fail',
      observer,
    });
  }

  contextOf(attributes: AdmissionAttributes): EvaluationContext {
    return new EvaluationContext(this.#authorizer, attributes);
  }
}
