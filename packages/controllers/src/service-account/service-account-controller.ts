import type { Namespace, ServiceAccount } from '@apiserver/api/core/v1';
import { isAlreadyExists, isForbidden, isNotFound } from '@apiserver/apimachinery/errors';
import type { ControllerContext } from '../controller.js';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: DefaultServiceAccountsControllerOptions */
const NAME = 'default';
const WORKERS = 10;

/**
 * Every active namespace has the service account `default`, again after its deletion.
 * Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go
 */
export async function runServiceAccountController(context: ControllerContext): Promise<void> {
  const namespaces = context.informer<Namespace>(NAMESPACES);
  const accounts = context.informer<ServiceAccount>(SERVICE_ACCOUNTS, { fieldSelector: `metadata.name=${NAME}` });
  const client = context.client.resource<ServiceAccount>(SERVICE_ACCOUNTS);
  await Promise.all([namespaces.synced(context.signal), accounts.synced(context.signal)]);
  const queue = context.queue({
    name: 'serviceaccount',
    workers: WORKERS,
    sync: async (namespace) => {
      if (namespaces.get('', namespace)?.status.phase !== 'Active') return;
      if (accounts.get(namespace, NAME) !== undefined) return;
      try {
        await client.create(namespace, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: NAME, namespace },
        });
      } catch (error) {
        // The namespace may be gone, or on its way: its end comes as an event.
        if (!isAlreadyExists(error) && !isNotFound(error) && !isForbidden(error)) throw error;
      }
    },
  });
  const add = ({ metadata }: Namespace) => queue.add(metadata.name ?? '');
  await runUntilAborted(context.signal, queue, [
    namespaces.subscribe({ added: add, updated: add }),
    accounts.subscribe({ deleted: ({ metadata }) => queue.add(metadata.namespace ?? '') }),
  ]);
}
