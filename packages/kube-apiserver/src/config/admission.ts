import { loadPlugins } from '@apiserver/admission';
import { formatGroupVersionResource, type GroupVersionResource, type KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { AdmissionChain, Authorizer, Informer, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/generic-server';
import { createInformer } from '@apiserver/registry-store';
import { StartupError } from '../first-start/startup-error.js';
import type { AdmissionOptions } from '../options/admission-options.js';
import { type AdmissionConfigurations, readAdmissionConfiguration } from './admission-configuration.js';
import { admissionMetrics } from './admission-metrics.js';

/** What the plugins are made of. */
export interface AdmissionParts {
  readonly options: AdmissionOptions;
  readonly loopbackClient: LoopbackClient;
  /** Asked for at a request, when the server has one. */
  readonly authorizer: () => Authorizer | undefined;
  /** The same. */
  readonly metrics: () => MetricsRegistry;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** The plugins that run, and the views they look at, which end with the server. */
export interface KubeAdmission {
  readonly chain: AdmissionChain;
  readonly informers: readonly AsyncDisposable[];
}

/**
 * The plugins that the options ask for. Nothing is read from the API before the first request. Throws a StartupError for
 * a configuration that cannot be used.
 * Upstream: AdmissionOptions.ApplyTo of k8s.io/apiserver/pkg/server/options/admission.go
 */
export function createKubeAdmission(parts: AdmissionParts): KubeAdmission {
  const { options, loopbackClient, authorizer, clock, random, logger } = parts;
  const informers = new Map<string, Informer<KubeObject>>();
  const informer = <T extends KubeObject>(resource: GroupVersionResource): Informer<T> => {
    const key = formatGroupVersionResource(resource);
    const made = informers.get(key) ?? newInformer(parts, resource);
    informers.set(key, made);
    // Whoever names a resource knows the type of its objects.
    return made as Informer<T>;
  };
  const configurations = configurationsOf(options);
  const chain = startupErrors(() =>
    loadPlugins({
      definitions: options.plugins,
      configurationOf: (name) => configurations.get(name),
      logger,
      observer: admissionMetrics(parts.metrics),
      parts: {
        client: loopbackClient,
        informer,
        authorizer: lateAuthorizer(authorizer),
        clock,
        random,
        notReadyTolerationSeconds: options.notReadyTolerationSeconds,
        unreachableTolerationSeconds: options.unreachableTolerationSeconds,
      },
    }),
  );
  return { chain, informers: [...informers.values()] };
}

function lateAuthorizer(find: AdmissionParts['authorizer']): Authorizer {
  return {
    authorize(attributes, signal) {
      const authorizer = find();
      if (authorizer === undefined) throw new Error('the server has no authorizer yet');
      return authorizer.authorize(attributes, signal);
    },
  };
}

function newInformer({ loopbackClient, clock, random, logger }: AdmissionParts, resource: GroupVersionResource) {
  const client = loopbackClient.resource(resource);
  return createInformer({ client, clock, random, logger: logger.named('informer') });
}

function configurationsOf({ configFile }: AdmissionOptions): AdmissionConfigurations {
  return startupErrors(() => readAdmissionConfiguration(configFile), 'failed to read plugin config: ');
}

/** What fails here is a file that a flag names. */
function startupErrors<T>(make: () => T, prefix = ''): T {
  try {
    return make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`${prefix}${reason}`);
  }
}
