import type { Job } from '@apiserver/api/batch/v1';
import { unlessNotFound } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { exponentialBounds } from '@apiserver/component-base/metrics';
import type { ControllerContext } from '../controller.js';
import { namespacedKey, objectOfKey } from '../namespaced-key.js';
import { JOBS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: --concurrent-ttl-after-finished-syncs */
const WORKERS = 5;
/** Seconds. Upstream: ExponentialBuckets(0.1, 2, 14) */
const BOUNDS = exponentialBounds(0.1, 14);

/**
 * Deletes finished Jobs when their `ttlSecondsAfterFinished` are over.
 * Upstream: pkg/controller/ttlafterfinished
 */
export async function runTtlAfterFinished(context: ControllerContext): Promise<void> {
  const { signal, clock } = context;
  const client = context.client.resource<Job>(JOBS);
  const observe = context.histogram(
    {
      name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
      help: 'Time from the end of a finished Job’s TTL to its deletion.',
      labels: [],
    },
    BOUNDS,
  );
  const queue = context.queue({
    name: 'ttl_jobs_to_delete',
    workers: WORKERS,
    sync: async (key) => {
      // The newest state counts: the TTL may have changed.
      const job = await existing(client, key);
      const expiry = job && expiryOf(job);
      if (job === undefined || expiry === undefined) return;
      const left = expiry - clock.now();
      if (left > 0) return queue.addAfter(key, left);
      const { namespace = '', name = '', uid = '' } = job.metadata;
      const options = { propagationPolicy: 'Foreground', preconditions: { uid } };
      await client.delete(namespace, name, options);
      observe((clock.now() - expiry) / 1000, {});
    },
  });
  const add = (job: Job) => {
    if (expiryOf(job) !== undefined) queue.add(namespacedKey(job));
  };
  await runUntilAborted(signal, queue, [context.informer<Job>(JOBS).subscribe({ added: add, updated: add })]);
}

function existing(client: ResourceClient<Job>, key: string): Promise<Job | undefined> {
  const { namespace, name } = objectOfKey(key);
  return unlessNotFound(client.get(namespace, name));
}

/** Milliseconds since the epoch; undefined if the Job is not to be deleted. */
function expiryOf({ metadata, spec, status }: Job): number | undefined {
  const { ttlSecondsAfterFinished: ttl } = spec;
  if (ttl === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const end = (status.conditions ?? []).find(
    (condition) => ['Complete', 'Failed'].includes(condition.type) && condition.status === 'True',
  );
  const finished = Date.parse(end?.lastTransitionTime ?? '');
  return Number.isNaN(finished) ? undefined : finished + ttl * 1000;
}
