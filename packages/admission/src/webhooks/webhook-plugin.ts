import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { StaticManifests } from '../manifests/static-manifests.js';
import { isExemptKind } from '../matching/exempt-kinds.js';
import { RequestMatcher } from '../matching/request-matcher.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';
import type { ConfiguredWebhook, WebhookType } from './configured-webhook.js';
import { readWebhookSettings, type WebhookUsers } from './webhook-configuration.js';
import {
  CombinedWebhooks,
  InformedWebhooks,
  type WebhookConfiguration,
  type WebhookSource,
  webhooksOf,
} from './webhook-source.js';

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
  /** The webhooks of files; undefined without a folder for them. */
  readonly #files: WebhookSource | undefined;
  #started: Started | undefined;
  #dispatcher: Promise<Dispatcher> | undefined;
  /** True once all informers have synced. */
  #isReady = false;

  constructor(type: WebhookType, dependencies: AdmissionPluginDependencies) {
    this.#type = type;
    this.#dependencies = dependencies;
    const { users, manifestsDirectory } = readWebhookSettings(dependencies.configuration, dependencies.features);
    this.#users = users;
    if (manifestsDirectory !== '') this.#files = webhookFiles(type, manifestsDirectory, dependencies);
    dependencies.webhooks.onStart(() => this.#start());
  }

  /** False if there are no webhooks. */
  get isActive(): boolean {
    return !this.#isReady || (this.#started?.source.webhooks.length ?? 0) > 0;
  }

  run(attributes: AdmissionAttributes): Promise<void> | void {
    if (isExemptKind(attributes.kind)) return this.#runFiles(attributes);
    this.#dependencies.webhooks.start();
    const started = this.#start();
    const unready = started.view.ready(attributes);
    if (unready === undefined) return this.#dispatch(attributes, started);
    return this.#whenReady(unready, attributes, started);
  }

  /** Webhooks of files also see the kinds that configure admission: the API cannot change them. */
  #runFiles(attributes: AdmissionAttributes): Promise<void> | void {
    if (this.#files === undefined || this.#files.webhooks.length === 0) return;
    const { matcher } = this.#start();
    return this.#dispatch(attributes, { source: this.#files, matcher });
  }

  #start(): Started {
    this.#started ??= start(this.#type, this.#dependencies, this.#files);
    return this.#started;
  }

  async #whenReady(unready: Promise<void>, attributes: AdmissionAttributes, started: Started): Promise<void> {
    await unready;
    this.#isReady = true;
    await this.#dispatch(attributes, started);
  }

  #dispatch(
    attributes: AdmissionAttributes,
    { source, matcher }: Pick<Started, 'source' | 'matcher'>,
  ): Promise<void> | void {
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

function start(
  type: WebhookType,
  dependencies: AdmissionPluginDependencies,
  files: WebhookSource | undefined,
): Started {
  const informer = dependencies.informer<WebhookConfiguration>(CONFIGURATIONS[type]);
  const matcher = new RequestMatcher(dependencies);
  const view = new ViewReadiness(informer, matcher.namespaces);
  const api = new InformedWebhooks(informer);
  return { source: files === undefined ? api : new CombinedWebhooks(files, api), matcher, view };
}

const FILES: Readonly<Record<WebhookType, { readonly plugin: string; readonly kind: string }>> = {
  admit: { plugin: 'MutatingAdmissionWebhook', kind: 'MutatingWebhookConfiguration' },
  validating: { plugin: 'ValidatingAdmissionWebhook', kind: 'ValidatingWebhookConfiguration' },
};

/** The webhooks of files, in the order of their configurations' names. */
function webhookFiles(type: WebhookType, directory: string, { manifests }: AdmissionPluginDependencies): WebhookSource {
  const { plugin, kind } = FILES[type];
  const files = new StaticManifests<readonly WebhookConfiguration[], readonly ConfiguredWebhook[]>(
    {
      plugin,
      content: 'webhook',
      directory,
      load: async () => {
        const { loadWebhooks } = await import('../manifests/load-webhooks.js');
        return loadWebhooks(directory, kind, manifests.kinds);
      },
      compile: (configurations) =>
        configurations.flatMap((one) => webhooksOf(one, `manifest/${one.metadata.name ?? ''}`)),
    },
    manifests,
    [],
  );
  return {
    get webhooks() {
      return files.value;
    },
  };
}
