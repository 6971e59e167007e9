import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { JsonPatchOperation } from '@apiserver/apimachinery/patch';
import type { AdmissionAttributes, AnnotationLevel, Logger } from '@apiserver/apiserver-contracts';
import type { ConfiguredWebhook } from './configured-webhook.js';

const MUTATION = 'mutation.webhook.admission.k8s.io/';
const PATCH = 'patch.webhook.admission.k8s.io/';
const FAILED_OPEN = `failed-open.${MUTATION}`;

/** Records the calls of mutating webhooks in the audit event. */
export class MutationAnnotations {
  readonly #attributes: AdmissionAttributes;
  readonly #webhook: ConfiguredWebhook;
  readonly #suffix: string;
  readonly #logger: Logger;

  /** `index` is that of the webhook among all mutating webhooks. */
  constructor(
    attributes: AdmissionAttributes,
    { webhook, index }: { readonly webhook: ConfiguredWebhook; readonly index: number },
    logger: Logger,
  ) {
    const round = attributes.reinvocation?.isReinvoke === true ? 1 : 0;
    this.#attributes = attributes;
    this.#webhook = webhook;
    this.#suffix = `round_${round}_index_${index}`;
    this.#logger = logger;
  }

  addMutation(mutated: boolean): void {
    this.#add(MUTATION, `{${this.#names()},"mutated":${mutated}}`);
  }

  addPatch(operations: readonly JsonPatchOperation[]): void {
    const patch = stringifyJson(operations);
    this.#add(PATCH, `{${this.#names()},"patch":${patch},"patchType":"JSONPatch"}`, 'Request');
  }

  addFailedOpen(): void {
    this.#add(FAILED_OPEN, this.#webhook.name);
  }

  /** The first members of the annotations' JSON. */
  #names(): string {
    const { configurationName, name } = this.#webhook;
    return `"configuration":${stringifyJson(configurationName)},"webhook":${stringifyJson(name)}`;
  }

  #add(prefix: string, value: string, level?: AnnotationLevel): void {
    const reason = this.#attributes.addAnnotation(`${prefix}${this.#suffix}`, value, level);
    if (reason === undefined) return;
    this.#logger.warning('Failed to set an audit annotation of a webhook', { webhook: this.#webhook.name, reason });
  }
}
