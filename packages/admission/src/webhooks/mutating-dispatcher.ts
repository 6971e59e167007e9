import { sliceTurn } from '@apiserver/apimachinery/clock';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, EndpointVersion, Reinvocation } from '@apiserver/apiserver-contracts';
import { VersionedRequest } from '../matching/versioned-request.js';
import type { ConfiguredWebhook } from './configured-webhook.js';
import { MutationAnnotations } from './mutation-annotations.js';
import { ReinvokedWebhooks, reinvocationOf } from './reinvoked-webhooks.js';
import type { ReviewResponse } from './review-response.js';
import type { DispatcherOptions } from './validating-dispatcher.js';
import type { WebhookEnvironment } from './webhook-environment.js';
import { denialOf, WebhookCallError } from './webhook-errors.js';
import { applyPatch, readPatch } from './webhook-patch.js';
import { SelectedRequest } from './webhook-selector.js';

/** Bytes of a patch from which reading, applying and recording it get turns of their own. */
const LARGE_PATCH = 64 * 1024;

const PLUGIN = 'MutatingAdmissionWebhook';

interface Invocation {
  readonly webhook: ConfiguredWebhook;
  /** Among all mutating webhooks. */
  readonly index: number;
  readonly version: EndpointVersion;
}

/**
 * Calls mutating webhooks one after another. Each sees the object that the last one has left, with its defaults.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go
 */
export class MutatingDispatcher {
  readonly #options: DispatcherOptions;
  readonly #environment: WebhookEnvironment;

  constructor(options: DispatcherOptions, environment: WebhookEnvironment) {
    this.#options = options;
    this.#environment = environment;
  }

  /** Rejects with the first refusal. */
  async dispatch(attributes: AdmissionAttributes, webhooks: readonly ConfiguredWebhook[]): Promise<void> {
    const reinvocation = reinvocationOf(attributes);
    const again = ReinvokedWebhooks.of(reinvocation, PLUGIN);
    if (reinvocation.isReinvoke && again.isChanged(attributes.object)) again.require();
    const request = new SelectedRequest(new VersionedRequest(attributes));
    try {
      for (const [index, webhook] of webhooks.entries()) {
        const version = await this.#options.selector.select(webhook, request);
        if (version === undefined || (reinvocation.isReinvoke && !again.isDue(webhook.uid))) continue;
        await this.#invoke(request, { webhook, index, version }, reinvocation);
      }
    } finally {
      again.setOutput(attributes.object);
    }
  }

  async #invoke(request: SelectedRequest, invocation: Invocation, reinvocation: Reinvocation): Promise<void> {
    const { webhook, index } = invocation;
    const { attributes } = request;
    const again = ReinvokedWebhooks.of(reinvocation, PLUGIN);
    const annotations = new MutationAnnotations(attributes, { webhook, index }, this.#environment.logger);
    const startedAt = performance.now();
    let changed = false;
    let error: unknown;
    try {
      changed = await this.#call(request, invocation, annotations);
    } catch (thrown) {
      error = thrown;
    }
    annotations.addMutation(changed);
    const outcome = this.#options.outcomes.of({ webhook, attributes, startedAt, error });
    if (changed) {
      again.require();
      reinvocation.isRequested = true;
    }
    if (webhook.fields.reinvocationPolicy === 'IfNeeded') again.addInvoked(webhook.uid);
    if ('refusal' in outcome) throw outcome.refusal;
    if (outcome.failedOpen) annotations.addFailedOpen();
  }

  /** Reports whether the webhook changed the object. */
  async #call(
    { versions }: SelectedRequest,
    { webhook, version }: Invocation,
    annotations: MutationAnnotations,
  ): Promise<boolean> {
    const versioned = await versions.at(version);
    const response = await this.#options.caller.call(webhook, versioned);
    if (response.patch.length === 0) return false;
    const isLarge = response.patch.length > LARGE_PATCH;
    if (isLarge) await sliceTurn();
    const patch = readPatch(webhook.name, response.patch);
    if (isLarge) await sliceTurn();
    if (patch.operations.length === 0) return false;
    const { object } = versioned;
    if (object === undefined) throw notSupported(webhook.name);
    checkPatchType(webhook.name, response);
    const { scope } = versioned.attributes;
    const patched = await applyPatch({ webhookName: webhook.name, scope, version, object }, patch);
    if (isLarge) await sliceTurn();
    annotations.addPatch(patch.operations);
    if (isLarge) await sliceTurn();
    await versions.replace(patched.version, patched.object);
    return patched.changed;
  }
}

function notSupported(webhookName: string): Error {
  const what = 'attempted to modify the object, which is not supported for this operation';
  return newInternalError(`admission webhook ${quote(webhookName)} ${what}`);
}

function checkPatchType(webhookName: string, { patchType = '', status }: ReviewResponse): void {
  if (patchType === 'JSONPatch') return;
  const { code = 400 } = denialOf(webhookName, status).status;
  throw new WebhookCallError(webhookName, `unsupported patch type ${quote(patchType)}`, code);
}
