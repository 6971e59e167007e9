import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { AuthorizationAttributes, Authorizer, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { ManifestEnvironment } from '../manifests/manifest-environment.js';
import { ManifestMetrics } from '../manifests/manifest-metrics.js';
import { MatchConditionMetrics } from '../matching/match-condition-metrics.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { WebhookEnvironment } from '../webhooks/webhook-environment.js';

/** Objects by the plural name of their resource. */
export type TestObjects = Record<string, KubeObject[]>;

/** Dependencies of a plugin under test, with a record of their use. */
export interface TestPluginDependencies extends AdmissionPluginDependencies {
  /** One line for each call of the client and each first use of an informer. */
  readonly calls: string[];
  /** The clock stands still until this is called; scheduled callbacks run at once. */
  advance(milliseconds: number): void;
}

/** The gates that are on in all tests. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set(['PodLevelResources', 'ServiceAccountNodeAudienceRestriction']);

/** Dependencies of a test's own. `enabled` names the feature gates that are on, beside those in `ON_BY_DEFAULT`. */
export type DependencyChanges = Partial<AdmissionPluginDependencies> & {
  allows?(attributes: AuthorizationAttributes): boolean;
  readonly enabled?: readonly string[];
};

/**
 * Dependencies over the objects of a test: informers and client both read `objects`, and the client writes there. The
 * random number is always 0. Only the requests that `allows` names are authorized.
 */
export function testPluginDependencies(
  objects: TestObjects = {},
  changes: DependencyChanges = {},
): TestPluginDependencies {
  const calls: string[] = [];
  const { allows = () => false, enabled = [], ...dependencies } = changes;
  const registry = new MetricsRegistry();
  let now = 0;
  const authorizer: Authorizer = {
    authorize: (attributes) => ({ decision: allows(attributes) ? 'Allow' : 'NoOpinion', reason: '' }),
  };
  return {
    calls,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    client: {
      resource: <T extends KubeObject>({ resource }: { resource: string }) => client<T>(objects, resource, calls),
    },
    informer: <T extends KubeObject>({ resource }: { resource: string }) => view<T>(objects, resource, calls),
    resourcesOf: async () => [],
    reviewWebhook: () => async () => ({ allowed: true }),
    authorizer,
    features: { enabled: (name) => ON_BY_DEFAULT.has(name) || enabled.includes(name) },
    newInformer: ({ resource }) => view(objects, resource, calls),
    clock: {
      now: () => now,
      schedule: (callback, milliseconds) => {
        const timer = setTimeout(callback, milliseconds >= 1000 ? milliseconds : 0);
        return () => clearTimeout(timer);
      },
    },
    random: () => 0,
    metrics: registry,
    webhooks: new WebhookEnvironment({
      clients: {
        resolveService: () => {
          throw new Error('no service is known');
        },
        clock: systemClock,
      },
      newUid: () => 'uid',
      logger: silentLogger,
      registry,
      clock: systemClock,
    }),
    matchConditionMetrics: new MatchConditionMetrics(registry),
    manifests: new ManifestEnvironment({
      kinds: [],
      metrics: new ManifestMetrics(registry, { serverId: 'server', now: () => now }),
      logger: silentLogger,
      watch: () => {},
    }),
    notReadyTolerationSeconds: 300,
    unreachableTolerationSeconds: 300,
    configuration: undefined,
    ...dependencies,
  };
}

function find(objects: TestObjects, resource: string, namespace: string, name: string): KubeObject | undefined {
  return objects[resource]?.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
}

function view<T extends KubeObject>(objects: TestObjects, resource: string, calls: string[]): Informer<T> {
  const all = () => (objects[resource] ?? []) as T[];
  return {
    synced: async () => void calls.push(`sync ${resource}`),
    get: (namespace, name) => find(objects, resource, namespace, name) as T | undefined,
    list: (namespace) =>
      all().filter(({ metadata }) => namespace === undefined || (metadata.namespace ?? '') === namespace),
    subscribe: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

function client<T extends KubeObject>(objects: TestObjects, resource: string, calls: string[]): ResourceClient<T> {
  const note = (verb: string, name: string | undefined) => void calls.push(`${verb} ${resource} ${name}`);
  const unused = async (): Promise<never> => {
    throw new Error('plugins neither watch, apply nor delete');
  };
  return {
    resource: { group: '', version: 'v1', resource },
    async get(namespace, name) {
      note('get', name);
      const found = find(objects, resource, namespace, name);
      if (found === undefined) throw newNotFound({ group: '', resource }, name);
      return found as T;
    },
    async create(namespace, object) {
      note('create', object.metadata.name);
      const metadata = { ...object.metadata, ...(namespace !== '' && { namespace }) };
      objects[resource] = [...(objects[resource] ?? []), { ...object, metadata }];
      return object;
    },
    async update(_namespace, object) {
      note('update', object.metadata.name);
      objects[resource] = (objects[resource] ?? []).map((known) =>
        known.metadata.name === object.metadata.name ? object : known,
      );
      return object;
    },
    async list(namespace) {
      note('list', namespace);
      const items = (objects[resource] ?? []).filter(({ metadata }) => (metadata.namespace ?? '') === namespace);
      const stored = items.map((object) => ({ object: object as T, resourceVersion: '1', wire: () => undefined }));
      return { items: stored, resourceVersion: '1' };
    },
    watch: unused,
    delete: unused,
    deleteCollection: unused,
    patch: unused,
    apply: unused,
  };
}
