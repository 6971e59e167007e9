import type { ConfigMap, Namespace } from '@apiserver/api/core/v1';
import { durationClock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isForbidden, isNotFound, isStatusError } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { exponentialBounds } from '@apiserver/component-base/metrics';
import type { ControllerContext } from '../controller.js';
import { CONFIG_MAPS, NAMESPACES } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: RootCACertConfigMapName */
const NAME = 'kube-root-ca.crt';
const KEY = 'ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
const TEXT = `Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.`;
const WORKERS = 10;
/** Seconds. Upstream: ExponentialBuckets(0.001, 2, 15) */
const BOUNDS = exponentialBounds(0.001, 15);

/**
 * Every active namespace has the ConfigMap `kube-root-ca.crt` with the authority of the server's certificate.
 * Upstream: pkg/controller/certificates/rootcacertpublisher
 */
export async function runRootCACertificatePublisher(context: ControllerContext): Promise<void> {
  const { signal, clock } = context;
  const namespaces = context.informer<Namespace>(NAMESPACES);
  const published = context.informer<ConfigMap>(CONFIG_MAPS, { fieldSelector: `metadata.name=${NAME}` });
  const client = context.client.resource<ConfigMap>(CONFIG_MAPS);
  const count = context.counter({
    name: 'root_ca_cert_publisher_sync_total',
    help: 'Namespaces to which the root certificate was published, by code.',
    labels: ['code'],
  });
  const observe = context.histogram(
    {
      name: 'root_ca_cert_publisher_sync_duration_seconds',
      help: 'Time to publish the root certificate to a namespace, by code.',
      labels: ['code'],
    },
    BOUNDS,
  );
  await Promise.all([namespaces.synced(signal), published.synced(signal)]);
  const queue = context.queue({
    name: 'root_ca_cert_publisher',
    workers: WORKERS,
    sync: async (namespace) => {
      if (namespaces.get('', namespace)?.status.phase !== 'Active') return;
      const passing = durationClock(clock);
      const started = passing.now();
      const code = await codeOf(publish(client, published.get(namespace, NAME), namespace, context.rootCA));
      count({ code });
      observe((passing.now() - started) / 1000, { code });
    },
  });
  const add = ({ metadata }: Namespace) => queue.add(metadata.name ?? '');
  const again = ({ metadata }: ConfigMap) => queue.add(metadata.namespace ?? '');
  await runUntilAborted(signal, queue, [
    namespaces.subscribe({ added: add, updated: add }),
    published.subscribe({ updated: again, deleted: again }),
  ]);
}

/** Throws what leads to a retry. */
async function codeOf(published: Promise<void>): Promise<string> {
  try {
    await published;
    return '200';
  } catch (error) {
    // The namespace may be gone, or on its way; another writer may have been first.
    const isSettled = isNotFound(error) || isForbidden(error) || isAlreadyExists(error);
    if (!isStatusError(error) || !isSettled) throw error;
    return String(error.status.code ?? 500);
  }
}

async function publish(
  client: ResourceClient<ConfigMap>,
  current: ConfigMap | undefined,
  namespace: string,
  rootCA: string,
): Promise<void> {
  const data = { [KEY]: rootCA };
  const annotations = { [DESCRIPTION]: TEXT };
  if (current === undefined) {
    const metadata = { name: NAME, namespace, annotations };
    await client.create(namespace, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    return;
  }
  const { data: known = {}, metadata } = current;
  const isCurrent = known[KEY] === rootCA && Object.keys(known).length === 1;
  if (isCurrent && (metadata.annotations?.[DESCRIPTION] ?? '') !== '') return;
  await client.update(namespace, { ...current, metadata: { ...metadata, annotations }, data });
}
