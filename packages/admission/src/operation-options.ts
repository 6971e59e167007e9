import type { AdmissionAttributes, AdmissionOperation } from '@apiserver/apiserver-contracts';

const KINDS: Readonly<Record<Exclude<AdmissionOperation, 'CONNECT'>, string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

/** The options of a request with their kind, as webhooks and expressions see them. A connection has none. */
export function operationOptions({
  operation,
  options,
}: Pick<AdmissionAttributes, 'operation' | 'options'>): Readonly<Record<string, unknown>> | undefined {
  if (operation === 'CONNECT') return undefined;
  return { kind: KINDS[operation], apiVersion: 'meta.k8s.io/v1', ...options };
}
