import { formatGroupVersionResource, type GroupVersionResource, type KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { ControllerContext, InformerSelection } from '../controller.js';

/** The controller declares the type of the objects. */
type MakeInformer = (resource: GroupVersionResource, selection: Required<InformerSelection>) => Informer<never>;

/**
 * One informer for all controllers that follow the same objects.
 * Upstream: k8s.io/client-go/informers.SharedInformerFactory
 */
export function sharedInformers(make: MakeInformer): ControllerContext['informer'] {
  const informers = new Map<string, Informer<never>>();
  return <T extends KubeObject>(
    resource: GroupVersionResource,
    { namespace = '', fieldSelector = '' }: InformerSelection = {},
  ): Informer<T> => {
    const key = JSON.stringify([formatGroupVersionResource(resource), namespace, fieldSelector]);
    const informer = informers.get(key) ?? make(resource, { namespace, fieldSelector });
    informers.set(key, informer);
    return informer;
  };
}
