import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Informer } from '@apiserver/apiserver-contracts';

/** Hears of APIServices by name. */
export interface RemoteServices {
  /** It is new or has changed, and a service serves it. */
  served(name: string): void;
  /** It is deleted, or this server serves it. It need not have been served. */
  gone(name: string): void;
}

/** Tells of the APIServices of an informer, those that it has first, until `signal` aborts. */
export function followRemoteServices(
  informer: Pick<Informer<APIService>, 'subscribe'>,
  services: RemoteServices,
  signal: AbortSignal,
): void {
  const changed = ({ metadata: { name = '' }, spec }: APIService): void => {
    if (spec.service === undefined) services.gone(name);
    else services.served(name);
  };
  const deleted = ({ metadata: { name = '' } }: APIService): void => services.gone(name);
  signal.addEventListener('abort', informer.subscribe({ added: changed, updated: changed, deleted }), { once: true });
}
