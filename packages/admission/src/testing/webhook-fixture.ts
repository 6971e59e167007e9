import { ConfigMap } from '@apiserver/api/core/v1';
import type { KubeObject, Status } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AnnotationLevel,
  Informer,
  RequestScope,
} from '@apiserver/apiserver-contracts';
import { createTestLogger, type LoggedLine } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { createAdmissionChain } from '../admission-chain.js';
import { WebhookEnvironment } from '../webhooks/webhook-environment.js';
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from '../webhooks/webhook-plugin.js';
import type { WebhookConfiguration } from '../webhooks/webhook-source.js';
import { objectAttributes } from './attributes.js';
import { type DependencyChanges, type TestObjects, testPluginDependencies } from './plugin-dependencies.js';

/** The result of a request that webhooks have seen. */
export interface WebhookOutcome {
  /** The status of the refusal; undefined if the request was admitted. */
  readonly refused: Partial<Status> | undefined;
  readonly object: KubeObject | undefined;
  readonly warnings: readonly string[];
  /** By key; the level precedes the value unless it is Metadata. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** ConfigMap "a" in namespace "ns". */
export function configMap(data: Record<string, string> = {}, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', labels }, data };
}

/** An informer whose objects a test can change. */
class TestInformer implements Informer<WebhookConfiguration> {
  readonly #objects = new Map<string, WebhookConfiguration>();
  readonly #handlers: Parameters<Informer<WebhookConfiguration>['subscribe']>[0][] = [];

  put(object: WebhookConfiguration): void {
    const name = object.metadata.name ?? '';
    const old = this.#objects.get(name);
    this.#objects.set(name, object);
    for (const handlers of this.#handlers) {
      if (old === undefined) handlers.added?.(object);
      else handlers.updated?.(object, old);
    }
  }

  remove(name: string): void {
    const old = this.#objects.get(name);
    if (old === undefined) return;
    this.#objects.delete(name);
    for (const handlers of this.#handlers) handlers.deleted?.(old);
  }

  async synced(): Promise<void> {}

  get(_namespace: string, name: string): WebhookConfiguration | undefined {
    return this.#objects.get(name);
  }

  list(): readonly WebhookConfiguration[] {
    return [...this.#objects.values()];
  }

  subscribe(handlers: Parameters<Informer<WebhookConfiguration>['subscribe']>[0]): () => void {
    this.#handlers.push(handlers);
    return () => {};
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Both plugins of webhooks over the configurations of a test. */
export class WebhookFixture {
  readonly mutating = new TestInformer();
  readonly validating = new TestInformer();
  readonly lines: readonly LoggedLine[];
  readonly registry = new MetricsRegistry();
  readonly plugins: readonly AdmissionPlugin[];

  /** `port` is that of the webhook on 127.0.0.1 that serves every service. */
  constructor(port: () => number, objects: TestObjects = {}, changes: DependencyChanges = {}) {
    const { logger, lines } = createTestLogger();
    this.lines = lines;
    const dependencies = testPluginDependencies({ namespaces: [namespace('ns')], ...objects }, changes);
    const { informer } = dependencies;
    const own = {
      ...dependencies,
      informer: (resource: { readonly resource: string }) => {
        if (resource.resource === 'mutatingwebhookconfigurations') return this.mutating;
        if (resource.resource === 'validatingwebhookconfigurations') return this.validating;
        return informer(resource as Parameters<typeof informer>[0]);
      },
      webhooks: new WebhookEnvironment({
        clients: { resolveService: () => ({ hostname: '127.0.0.1', port: port() }), clock: systemClock },
        newUid: () => 'uid-1',
        logger,
        registry: this.registry,
        clock: systemClock,
      }),
    } as typeof dependencies;
    this.plugins = [mutatingAdmissionWebhook(own), validatingAdmissionWebhook(own)];
  }

  /** Runs both phases, as a server does, among further plugins. */
  async run(changes: Partial<AdmissionAttributes> = {}, ...first: readonly AdmissionPlugin[]): Promise<WebhookOutcome> {
    const chain = createAdmissionChain([...first, ...this.plugins]);
    const warnings: string[] = [];
    const annotations: Record<string, string> = {};
    const { oldObject } = changes;
    const object = 'object' in changes ? changes.object : configMap({ k: '1' });
    const basis = objectAttributes('configmaps', object ?? oldObject ?? configMap(), {
      user: { name: 'alice', groups: ['dev'], extra: {} },
      ...changes,
      object,
    });
    const attributes: AdmissionAttributes = {
      ...basis,
      scope: { ...configMapScope(basis), ...changes.scope },
      warnings: { warn: (text) => void warnings.push(text) },
      addAnnotation:
        changes.addAnnotation ??
        ((key: string, value: string, level: AnnotationLevel = 'Metadata') => {
          annotations[key] = level === 'Metadata' ? value : `${level}: ${value}`;
          return undefined;
        }),
    };
    try {
      await chain.admit(attributes);
      const frozen = object && cloneJson(object);
      if (frozen !== undefined) freezeJson(frozen);
      await chain.validate({ ...attributes, object: frozen });
      return { refused: undefined, object, warnings, annotations };
    } catch (error) {
      if (!(error instanceof Error && 'status' in error)) throw error;
      return { refused: error.status as WebhookOutcome['refused'], object, warnings, annotations };
    }
  }

  /** The samples of metrics with a prefix, without zeros. */
  async metrics(prefix: string): Promise<readonly string[]> {
    const { text } = await this.registry.expose();
    return text
      .split('\n')
      .filter((line) => line.startsWith(prefix) && !line.includes('_bucket') && !line.includes('_sum'));
  }
}

/** The endpoint of ConfigMaps. */
function configMapScope({ scope }: AdmissionAttributes): RequestScope {
  return {
    ...scope,
    definition: { group: '', resource: 'configmaps', keyPrefix: 'configmaps' } as RequestScope['definition'],
    versionDefinition: { version: 'v1', schema: ConfigMap },
    codec: compileKind(ConfigMap),
  } as RequestScope;
}

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { team: 'x' } } };
}
