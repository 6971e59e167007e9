import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { createInformer, selectingClient } from '@apiserver/registry-store';
import type { ControllerContext } from './controller-hook.js';

/** The resource of ConfigMaps, for clients. */
export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

/** Dependencies of an informer. */
export interface ConfigMapInformerOptions {
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** Follows one ConfigMap, which may be missing, until the controller's signal aborts. */
export function configMapInformer(
  { loopbackClient, signal }: ControllerContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { clock, random, logger }: ConfigMapInformerOptions,
): Informer<ConfigMap> {
  const configMaps = loopbackClient.resource<ConfigMap>(CONFIG_MAPS);
  const client = selectingClient(configMaps, { fieldSelector: `metadata.name=${name}` });
  const informer = createInformer({ client, namespace, clock, random, logger });
  signal.addEventListener('abort', () => void informer[Symbol.asyncDispose](), { once: true });
  return informer;
}
