import {
  admissionMetrics,
  loadPlugins,
  ManifestEnvironment,
  ManifestMetrics,
  MatchConditionMetrics,
  type ReviewWebhookOptions,
  WebhookEnvironment,
} from '@apiserver/admission';
import { formatGroupVersionResource, type GroupVersionResource, type KubeObject } from '@apiserver/apimachinery';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Authorizer, FeatureGates, Informer } from '@apiserver/apiserver-contracts';
import { admissionManifestKinds } from '@apiserver/builtin-resources';
import { orStartupError, orStartupErrorLater } from '@apiserver/component-base/process';
import { type GenericServerConfig, reviewWebhook, type ServerContext, watchFolders } from '@apiserver/generic-server';
import { createInformer, type StorageProvider } from '@apiserver/registry-store';
import type { ServiceResolver } from '@apiserver/webhook';
import { serverIdOf } from '../features/server-id.js';
import type { CompletedOptions } from '../options/complete-options.js';
import { type AdmissionConfigurations, readAdmissionConfiguration } from './admission-configuration.js';
import { servedResources } from './served-resources.js';

/** Dependencies of the plugins besides the config that they are written into. */
export interface AdmissionDependencies {
  readonly authorizer: Authorizer;
  readonly random: RandomInt;
  readonly newUid: () => string;
  readonly features: FeatureGates;
  /** The name of this machine, by which metrics tell servers apart. */
  readonly hostname: string;
  /** Finds the services of webhooks. */
  readonly resolveService: ServiceResolver;
  /** Tells which of the plugins' resources are unused. */
  readonly provider: Pick<StorageProvider, 'unused'>;
}

/**
 * Creates the enabled plugins, writes them into the config, and loads their manifests. The authorizer must exist
 * before. Nothing is read from the API before the first request. Rejects with a StartupError for a configuration, or a
 * manifest, that cannot be used.
 * Upstream: AdmissionOptions.ApplyTo of k8s.io/apiserver/pkg/server/options/admission.go
 */
export async function applyAdmission(
  options: CompletedOptions['admission'],
  config: GenericServerConfig,
  { authorizer, random, newUid, features, hostname, resolveService, provider }: AdmissionDependencies,
): Promise<void> {
  const { loopback, clock, logger, metrics, restClientMetrics } = config;
  const configurations = configurationsOf(options);
  const { plugins, notReadyTolerationSeconds, unreachableTolerationSeconds } = options;
  const manifests = manifestEnvironment(config, serverIdOf(features, hostname));
  const newInformer = informersOf(config, { random, provider });
  config.admission = orStartupError(() =>
    loadPlugins({
      definitions: plugins,
      configurationOf: (name) => configurations.get(name),
      logger,
      observer: admissionMetrics(metrics),
      dependencies: {
        client: loopback.client,
        informer: sharedInformers(newInformer),
        newInformer,
        resourcesOf: servedResources(loopback),
        reviewWebhook: reviewWebhookOf(config),
        authorizer,
        features,
        clock,
        random,
        metrics,
        notReadyTolerationSeconds,
        unreachableTolerationSeconds,
        webhooks: new WebhookEnvironment({
          newUid,
          clock,
          registry: metrics,
          clients: {
            resolveService,
            clock,
            observer: restClientMetrics.webhooks,
            postToServer: loopback.post,
            dialers: { service: config.egress?.('cluster'), url: config.egress?.('controlplane') },
          },
          logger: logger.named('webhooks'),
        }),
        matchConditionMetrics: new MatchConditionMetrics(metrics),
        manifests,
      },
    }),
  );
  await orStartupErrorLater(manifests.start());
}

/** Folders are watched until the server ends. */
function manifestEnvironment(context: ServerContext, serverId: string): ManifestEnvironment {
  const { clock, metrics, disposables } = context;
  const logger = context.logger.named('manifests');
  return new ManifestEnvironment({
    kinds: admissionManifestKinds(),
    metrics: new ManifestMetrics(metrics, { serverId, now: () => clock.now() }),
    logger,
    watch: (folder, listener) => {
      const stopping = new AbortController();
      disposables.defer(() => stopping.abort());
      watchFolders({ folders: [folder], signal: stopping.signal, ...listener });
    },
  });
}

/** Upstream: DefaultRetryBackoffWithInitialDelay of k8s.io/apiserver/pkg/util/webhook */
function reviewWebhookOf(config: GenericServerConfig) {
  return ({ configFile, retryBackoff }: ReviewWebhookOptions) =>
    reviewWebhook({ kind: 'ImageReview', configFile, backoff: { duration: retryBackoff } }, config);
}

type NewInformer = (resource: GroupVersionResource) => Informer<KubeObject>;

/** Returns one shared informer for each resource. An informer starts with the first use by a plugin. */
function sharedInformers(newInformer: NewInformer) {
  const informers = new Map<string, Informer<KubeObject>>();
  return <T extends KubeObject>(resource: GroupVersionResource): Informer<T> => {
    const key = formatGroupVersionResource(resource);
    const made = informers.get(key) ?? newInformer(resource);
    informers.set(key, made);
    // The caller declares the type of the resource's objects.
    return made as Informer<T>;
  };
}

function informersOf(
  { loopback, clock, logger, disposables, signals }: ServerContext,
  { random, provider }: Pick<AdmissionDependencies, 'random' | 'provider'>,
): NewInformer {
  return (resource) => {
    const client = loopback.client.resource(resource);
    const unused = (ready: Promise<void>) => provider.unused(resource, ready);
    const options = { client, clock, random, logger: logger.named('informer'), unused };
    const informer = disposables.use(createInformer(options));
    // It cannot sync any more. Without this, the end of the server would wait for the requests that wait for it.
    void signals.notAcceptingNewRequests.signaled.then(() => informer[Symbol.asyncDispose]());
    return informer;
  };
}

function configurationsOf({ configFile }: CompletedOptions['admission']): AdmissionConfigurations {
  return orStartupError(() => readAdmissionConfiguration(configFile), 'failed to read plugin config: ');
}
