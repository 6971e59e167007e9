import { checkFields, integer, texts } from '@apiserver/test-powers';
import { type PlaneRequests, refusal } from '../objects/plane-requests.js';
import type { ServiceAccountOptions } from './user-options.js';

interface MadeToken {
  readonly status: { readonly token: string };
}

/** A new token of a service account, which is created if it does not exist. Throws a ControlPlaneError. */
export async function requestToken(
  requests: PlaneRequests,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  options: ServiceAccountOptions,
): Promise<string> {
  const what = `service account ${namespace}/${name}`;
  checkFields(options, what, { audiences: texts, expirationSeconds: integer(600) });
  const { audiences = [], expirationSeconds = 3_600 } = options;
  const accounts = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts`;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  const created = await requests.send('POST', accounts, JSON.stringify(account));
  if (created.status >= 400 && created.status !== 409) throw refusal(what, created);
  const order = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences, expirationSeconds },
  };
  const path = `${accounts}/${encodeURIComponent(name)}/token`;
  const { status: made } = await requests.expect<MadeToken>(what, 'POST', path, JSON.stringify(order));
  return made.token;
}
