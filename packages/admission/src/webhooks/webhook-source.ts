import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import { ConfiguredWebhook, type WebhookFields } from './configured-webhook.js';

/** A configuration of webhooks of either kind. */
export type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly WebhookFields[] };

/** The webhooks to call, in order. */
export interface WebhookSource {
  readonly webhooks: readonly ConfiguredWebhook[];
}

/**
 * The webhooks of all configurations of one kind: configurations in order of their names, and the webhooks of each in
 * the order that it gives. The first request after a change gathers the list again.
 * Upstream: k8s.io/apiserver/pkg/admission/configuration
 */
export class InformedWebhooks implements WebhookSource {
  readonly #informer: Informer<WebhookConfiguration>;
  readonly #known = new Map<string, readonly ConfiguredWebhook[]>();
  #webhooks: readonly ConfiguredWebhook[] | undefined;

  constructor(informer: Informer<WebhookConfiguration>) {
    this.#informer = informer;
    informer.subscribe({
      added: () => this.#changed(),
      updated: ({ metadata }) => this.#changed(metadata.name),
      deleted: ({ metadata }) => this.#changed(metadata.name),
    });
  }

  get webhooks(): readonly ConfiguredWebhook[] {
    this.#webhooks ??= this.#informer
      .list()
      .toSorted((a, b) => compareNames(nameOf(a), nameOf(b)))
      .flatMap((configuration) => this.#webhooksOf(configuration));
    return this.#webhooks;
  }

  #changed(name?: string): void {
    if (name !== undefined) this.#known.delete(name);
    this.#webhooks = undefined;
  }

  #webhooksOf(configuration: WebhookConfiguration): readonly ConfiguredWebhook[] {
    const name = nameOf(configuration);
    const made = this.#known.get(name) ?? webhooksOf(configuration, name);
    this.#known.set(name, made);
    return made;
  }
}

/** Webhooks of files, followed by those of the API. The list is gathered again when one of them has changed. */
export class CombinedWebhooks implements WebhookSource {
  readonly #files: WebhookSource;
  readonly #api: WebhookSource;
  #parts: readonly (readonly ConfiguredWebhook[])[] = [];
  #webhooks: readonly ConfiguredWebhook[] = [];

  constructor(files: WebhookSource, api: WebhookSource) {
    this.#files = files;
    this.#api = api;
  }

  get webhooks(): readonly ConfiguredWebhook[] {
    const parts = [this.#files.webhooks, this.#api.webhooks];
    if (parts.some((part, index) => part !== this.#parts[index])) {
      this.#parts = parts;
      this.#webhooks = parts.flat();
    }
    return this.#webhooks;
  }
}

/**
 * Compiles the webhooks of a configuration. Their names may repeat. The prefix is unique among configurations, also
 * between those of the API and of files.
 */
export function webhooksOf(configuration: WebhookConfiguration, prefix: string): readonly ConfiguredWebhook[] {
  const name = nameOf(configuration);
  const uses = new Map<string, number>();
  return (configuration.webhooks ?? []).map((fields) => {
    const use = uses.get(fields.name) ?? 0;
    uses.set(fields.name, use + 1);
    return new ConfiguredWebhook(`${prefix}/${fields.name}/${use}`, name, fields);
  });
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
