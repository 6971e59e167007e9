import { isDecodeError, isStatusError, messageOf } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import type { WebhookClients } from '@apiserver/webhook';
import type { VersionedAttributes } from '../matching/versioned-request.js';
import { annotateOldCertificate } from './certificate-annotations.js';
import type { ConfiguredWebhook, WebhookType } from './configured-webhook.js';
import { ReviewWriter } from './review-request.js';
import { newReviewDecoder, type ReviewResponse, type ReviewVersion, verifyResponse } from './review-response.js';
import type { WebhookEnvironment } from './webhook-environment.js';
import { denialOf, dryRunUnsupported, WebhookCallError, WebhookRejection } from './webhook-errors.js';

/** Upstream: the dispatchers of k8s.io/apiserver/pkg/admission/plugin/webhook */
const SPANS = { admit: 'Call mutating webhook', validating: 'Call validating webhook' } as const;

/** Audit annotations of one review that are added. Upstream adds all of them. */
const MAX_ANNOTATIONS = 1_000;

const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'] satisfies ReviewVersion[];

/**
 * Sends reviews to webhooks and reads their decisions.
 * Upstream: callHook and callAttrMutatingHook of k8s.io/apiserver/pkg/admission/plugin/webhook
 */
export class WebhookCaller {
  readonly #type: WebhookType;
  readonly #environment: WebhookEnvironment;
  readonly #clients: WebhookClients;
  readonly #reader = newReviewDecoder();
  readonly #writer = new ReviewWriter();

  constructor(type: WebhookType, environment: WebhookEnvironment, clients: WebhookClients) {
    this.#type = type;
    this.#environment = environment;
    this.#clients = clients;
  }

  /**
   * The response of a webhook that allows the request. Its warnings and audit annotations have been added. Rejects with
   * a WebhookCallError, a WebhookRejection, or a StatusError for a request that the webhook cannot receive.
   */
  async call(webhook: ConfiguredWebhook, versioned: VersionedAttributes): Promise<ReviewResponse> {
    const { attributes } = versioned;
    checkDryRun(webhook, attributes.dryRun);
    const version = reviewVersionOf(webhook);
    const uid = this.#environment.newUid();
    const text = await this.#traced(webhook, versioned, uid, (headers) =>
      this.#post(webhook, versioned, { review: this.#writer.write(versioned, uid, version), headers }),
    );
    const response = await this.#read(webhook, text, { uid, version });
    this.#annotate(webhook, versioned, response);
    for (const warning of response.warnings ?? []) attributes.warnings.warn(warning);
    if (response.allowed !== true) throw new WebhookRejection(denialOf(webhook.name, response.status));
    return response;
  }

  /** Passes the headers on by which the webhook continues the trace of the request. */
  async #traced(
    webhook: ConfiguredWebhook,
    { attributes }: VersionedAttributes,
    uid: string,
    post: (headers: Readonly<Record<string, string>> | undefined) => Promise<string>,
  ): Promise<string> {
    const span = attributes.span?.start(SPANS[this.#type], {
      configuration: webhook.configurationName,
      webhook: webhook.name,
      resource: resourceText(attributes.resource),
      subresource: attributes.subresource,
      operation: attributes.operation,
      UID: uid,
    });
    if (span === undefined) return post(attributes.passedTrace);
    const call = span.start('HTTP POST', { 'http.request.method': 'POST' }, 'httpCall');
    try {
      return await post(call.headers);
    } catch (error) {
      call.fail(messageOf(error));
      throw error;
    } finally {
      call.end();
      span.end();
    }
  }

  async #post(
    webhook: ConfiguredWebhook,
    { attributes }: VersionedAttributes,
    { review, headers }: { readonly review: string; readonly headers: Readonly<Record<string, string>> | undefined },
  ): Promise<string> {
    const { signal } = attributes;
    const timeout = this.#timeoutOf(webhook, attributes);
    let client: ReturnType<WebhookClients['clientFor']>;
    try {
      client = this.#clients.clientFor(webhook.clientConfig);
    } catch (error) {
      throw new WebhookCallError(webhook.name, `could not get REST client: ${messageOf(error)}`, 500);
    }
    const begun = performance.now();
    try {
      return await client.post(review, {
        signal,
        ...(headers && { headers }),
        ...(timeout !== undefined && { timeout }),
      });
    } catch (error) {
      const code = isStatusError(error) ? (error.status.code ?? 0) : 503;
      const reason = signal.aborted ? 'context canceled' : messageOf(error);
      annotateOldCertificate(attributes, webhook.clientConfig, reason);
      throw new WebhookCallError(webhook.name, `failed to call webhook: ${reason}`, code, signal.aborted);
    } finally {
      attributes.webhookTook?.(this.#type === 'admit' ? 'mutating' : 'validating', performance.now() - begun);
    }
  }

  /** In milliseconds: the timeout of the webhook, at most the remaining time of the request. */
  #timeoutOf({ fields }: ConfiguredWebhook, { deadline }: AdmissionAttributes): number | undefined {
    const timeout = fields.timeoutSeconds === undefined ? undefined : fields.timeoutSeconds * 1000;
    if (deadline === undefined) return timeout;
    // A timer may end one millisecond early.
    const left = Math.max(0, Math.ceil(deadline - performance.now())) + 1;
    return timeout === undefined ? left : Math.min(timeout, left);
  }

  async #read(
    webhook: ConfiguredWebhook,
    text: string,
    request: { readonly uid: string; readonly version: ReviewVersion },
  ): Promise<ReviewResponse> {
    const isMutating = this.#type === 'admit';
    try {
      const review = await this.#reader.decode(text, request.version);
      const response = verifyResponse(review, { ...request, isMutating });
      if (!('fault' in response)) return response;
      throw new WebhookCallError(webhook.name, `received invalid webhook response: ${response.fault}`, 503);
    } catch (error) {
      if (!isDecodeError(error)) throw error;
      throw new WebhookCallError(webhook.name, `failed to call webhook: ${error.message}`, 503);
    }
  }

  /** Annotations beyond the bound are dropped: checking the keys of a hostile review would take seconds. */
  #annotate({ name }: ConfiguredWebhook, { attributes }: VersionedAttributes, response: ReviewResponse): void {
    const { logger } = this.#environment;
    const annotations = Object.entries(response.auditAnnotations ?? {});
    for (const [key, value] of annotations.slice(0, MAX_ANNOTATIONS)) {
      const reason = attributes.addAnnotation(`${name}/${key}`, value);
      if (reason === undefined) continue;
      logger.warning('Failed to set an audit annotation of a webhook', { webhook: name, key, reason });
    }
    if (annotations.length <= MAX_ANNOTATIONS) return;
    const dropped = annotations.length - MAX_ANNOTATIONS;
    logger.warning('Dropped audit annotations of a webhook', { webhook: name, dropped, maximum: MAX_ANNOTATIONS });
  }
}

function checkDryRun({ name, fields: { sideEffects } }: ConfiguredWebhook, dryRun: boolean): void {
  if (!dryRun) return;
  if (sideEffects === undefined || sideEffects === null) {
    throw new WebhookCallError(name, 'Webhook SideEffects is nil', 400);
  }
  if (sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') throw dryRunUnsupported(name);
}

function reviewVersionOf({ name, fields }: ConfiguredWebhook): ReviewVersion {
  for (const version of fields.admissionReviewVersions ?? []) {
    if (version === 'v1' || version === 'v1beta1') return version;
  }
  const versions = REVIEW_VERSIONS.join(', ');
  const reason = `webhook does not accept known AdmissionReview versions (${versions})`;
  throw new WebhookCallError(name, `could not create admission objects: ${reason}`, 400);
}

/** Upstream: GroupVersionResource.String */
function resourceText({ group, version, resource }: AdmissionAttributes['resource']): string {
  return `${group}/${version}, Resource=${resource}`;
}
