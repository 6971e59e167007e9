import { createAdmissionChain, type NamespaceWithPhase, namespaceLifecycle } from '@apiserver/admission';
import type { RandomInt } from '@apiserver/apimachinery';
import type { AdmissionChain, Informer, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { type Clock, createInformer } from '@apiserver/registry-store';

/** What the plugins are made of. */
export interface AdmissionParts {
  readonly loopbackClient: LoopbackClient;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** The plugins that run, and the views they look at, which end with the server. */
export interface KubeAdmission {
  readonly chain: AdmissionChain;
  readonly informers: readonly Informer<NamespaceWithPhase>[];
}

/** The built-in plugins, in upstream's order. Upstream: pkg/kubeapiserver/options/plugins.go (AllOrderedPlugins) */
export function createKubeAdmission({ loopbackClient, clock, random, logger }: AdmissionParts): KubeAdmission {
  const client = loopbackClient.resource<NamespaceWithPhase>({ group: '', version: 'v1', resource: 'namespaces' });
  const informer = createInformer({ client, clock, random, logger: logger.named('informer') });
  const getNamespace = (name: string) => client.get('', name);
  return {
    chain: createAdmissionChain([namespaceLifecycle({ informer, getNamespace, clock })]),
    informers: [informer],
  };
}
