import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, EndpointVersion } from '@apiserver/apiserver-contracts';
import { VersionedRequest } from '../matching/versioned-request.js';
import { requestTimeout } from '../request-timeout.js';
import type { ConfiguredWebhook } from './configured-webhook.js';
import type { WebhookCaller } from './webhook-caller.js';
import type { CallOutcomes } from './webhook-outcome.js';
import { SelectedRequest, type WebhookSelector } from './webhook-selector.js';

/** Calls of one request at the same time: as many may fail in one turn of the event loop. Upstream has no such bound. */
const MAX_CALLS = 256;
const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/';

/** Dependencies of a dispatcher. */
export interface DispatcherOptions {
  readonly selector: WebhookSelector;
  readonly caller: WebhookCaller;
  readonly outcomes: CallOutcomes;
}

interface Invocation {
  readonly webhook: ConfiguredWebhook;
  readonly version: EndpointVersion;
}

/**
 * Calls the validating webhooks of a request at the same time, and begins the calls in time slices.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go
 */
export class ValidatingDispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Rejects with the first refusal, after all webhooks have responded. */
  async dispatch(attributes: AdmissionAttributes, webhooks: readonly ConfiguredWebhook[]): Promise<void> {
    const request = new SelectedRequest(new VersionedRequest(attributes));
    const invocations: Invocation[] = [];
    const slice = new TimeSlice();
    for (const webhook of webhooks) {
      if (slice.over) await slice.yield();
      const version = await this.#options.selector.select(webhook, request);
      if (version === undefined) continue;
      invocations.push({ webhook, version });
      await request.versions.at(version);
    }
    if (invocations.length === 0) return;
    if (this.#options.outcomes.isOver(attributes)) throw requestTimeout();
    const refusals: unknown[] = [];
    const entries = invocations.entries();
    const work = async () => {
      for (const [index, invocation] of entries) {
        if (slice.over) await slice.yield();
        const outcome = await this.#call(request, invocation);
        if ('refusal' in outcome) refusals.push(outcome.refusal);
        else if (outcome.failedOpen) {
          attributes.addAnnotation(`${FAILED_OPEN}round_0_index_${index}`, invocation.webhook.name);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(invocations.length, MAX_CALLS) }, work));
    if (refusals.length > 0) throw refusals[0];
  }

  async #call({ attributes, versions }: SelectedRequest, { webhook, version }: Invocation) {
    const { caller, outcomes } = this.#options;
    const startedAt = performance.now();
    let error: unknown;
    try {
      await caller.call(webhook, await versions.at(version));
    } catch (thrown) {
      error = thrown;
    }
    return outcomes.of({ webhook, attributes, startedAt, error });
  }
}
