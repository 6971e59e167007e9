import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { isExemptKind } from '../matching/exempt-kinds.js';
import { RequestMatcher } from '../matching/request-matcher.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';
import type { ConfiguredWebhook, WebhookType } from './configured-webhook.js';
import { readWebhookUsers, type WebhookUsers } from './webhook-configuration.js';
import { InformedWebhooks, type WebhookConfiguration, type WebhookSource } from './webhook-source.js';

/** Calls the webhooks of a request that match. Rejects with the first refusal. */
interface Dispatcher {
  dispatch(attributes: AdmissionAttributes, webhooks: readonly ConfiguredWebhook[]): Promise<void>;
}

/** Sources, and the matcher that the dispatcher uses. */
interface Started {
  readonly source: WebhookSource;
  readonly matcher: RequestMatcher;
  readonly view: ViewReadiness;
}

const resource = (plural: string): GroupVersionResource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: plural,
});

const CONFIGURATIONS: Readonly<Record<WebhookType, GroupVersionResource>> = {
  admit: resource('mutatingwebhookconfigurations'),
  validating: resource('validatingwebhookconfigurations'),
};

/** Calls mutating webhooks. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating */
export function mutatingAdmissionWebhook(dependencies: AdmissionPluginDependencies): AdmissionPlugin {
  const webhooks = new WebhookPlugin('admit', dependencies);
  return {
    name: 'MutatingAdmissionWebhook',
    handles: () => true,
    isActive: () => webhooks.isActive,
    admit: (attributes) => webhooks.run(attributes),
  };
}

/** Calls validating webhooks. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/validating */
export function validatingAdmissionWebhook(dependencies: AdmissionPluginDependencies): AdmissionPlugin {
  const webhooks = new WebhookPlugin('validating', dependencies);
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: () => true,
    isActive: () => webhooks.isActive,
    validate: (attributes) => webhooks.run(attributes),
  };
}

/** Upstream: Webhook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic */
class WebhookPlugin {
  readonly #type: WebhookType;
  readonly #dependencies: AdmissionPluginDependencies;
  readonly #users: WebhookUsers | undefined;
  #started: Started | undefined;
  #dispatcher: Promise<Dispatcher> | undefined;
  /** True once all informers have synced. */
  #isReady = false;

  constructor(type: WebhookType, dependencies: AdmissionPluginDependencies) {
    this.#type = type;
    this.#dependencies = dependencies;
    this.#users = readWebhookUsers(dependencies.configuration);
    dependencies.webhooks.onStart(() => this.#start());
  }

  /** False if there are no webhooks. */
  get isActive(): boolean {
    return !this.#isReady || (this.#started?.source.webhooks.length ?? 0) > 0;
  }

  run(attributes: AdmissionAttributes): Promise<void> | void {
    if (isExemptKind(attributes.kind)) return;
    this.#dependencies.webhooks.start();
    const started = this.#start();
    const unready = started.view.ready(attributes);
    if (unready === undefined) return this.#dispatch(attributes, started);
    return this.#whenReady(unready, attributes, started);
  }

  #start(): Started {
    this.#started ??= start(this.#type, this.#dependencies);
    return this.#started;
  }

  async #whenReady(unready: Promise<void>, attributes: AdmissionAttributes, started: Started): Promise<void> {
    await unready;
    this.#isReady = true;
    await this.#dispatch(attributes, started);
  }

  #dispatch(attributes: AdmissionAttributes, { source, matcher }: Started): Promise<void> | void {
    const { webhooks } = source;
    if (webhooks.length === 0) return;
    this.#dispatcher ??= this.#load(matcher);
    return this.#dispatcher.then((dispatcher) => dispatcher.dispatch(attributes, webhooks));
  }

  /** The code of calls is loaded for the first webhook. */
  async #load(matcher: RequestMatcher): Promise<Dispatcher> {
    const { newDispatcher } = await import('./new-dispatcher.js');
    return newDispatcher(this.#type, this.#dependencies, { matcher, users: this.#users });
  }
}

function start(type: WebhookType, dependencies: AdmissionPluginDependencies): Started {
  const informer = dependencies.informer<WebhookConfiguration>(CONFIGURATIONS[type]);
  const matcher = new RequestMatcher(dependencies);
  const view = new ViewReadiness(informer, matcher.namespaces);
  return { source: new InformedWebhooks(informer), matcher, view };
}
