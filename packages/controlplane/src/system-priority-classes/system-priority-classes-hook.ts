import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, messageOf } from '@apiserver/apimachinery/errors';
import type { Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';

/** A class to create. */
export interface WantedPriorityClass {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}

/** Dependencies of the hook beside its context. */
export interface SystemPriorityClassesOptions {
  readonly classes: readonly WantedPriorityClass[];
  readonly clock: Clock;
  readonly logger: Logger;
}

type PriorityClassObject = KubeObject & { readonly value: number; readonly description: string };

const PRIORITY_CLASSES = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };

/** Pause between attempts, and total time limit, in milliseconds. */
const RETRY = { pause: 1000, atMost: 30_000 };

/**
 * Creates missing system priority classes after one list, in one write. The server exits if this does not succeed
 * within 30 seconds.
 * Upstream: AddSystemPriorityClasses of pkg/registry/scheduling/rest/storage_scheduling.go, which tries first after a
 * second
 */
export function systemPriorityClassesHook(options: SystemPriorityClassesOptions): ControllerHook {
  return {
    name: 'scheduling/bootstrap-system-priority-classes',
    async run({ loopbackClient, signal }: ControllerContext) {
      const { logger } = options;
      const clock = durationClock(options.clock);
      const client = loopbackClient.resource<PriorityClassObject>(PRIORITY_CLASSES);
      const deadline = clock.now() + RETRY.atMost;
      while (!signal.aborted) {
        try {
          await createMissing(client, options);
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (clock.now() >= deadline) throw giveUp(error);
          logger.warning('unable to add default system priority classes. Retrying...', { err: messageOf(error) });
          await sleep(clock, RETRY.pause, signal);
        }
      }
    },
  };
}

async function createMissing(
  client: Pick<ResourceClient<PriorityClassObject>, 'list' | 'create'>,
  { classes, logger }: SystemPriorityClassesOptions,
): Promise<void> {
  const { items } = await client.list('');
  const known = new Set(items.map(({ object }) => object.metadata.name));
  const missing = classes.filter(({ name }) => !known.has(name));
  await Promise.all(missing.map((wanted) => create(client, wanted)));
  for (const { name, value } of missing) logger.info(`created PriorityClass ${name} with value ${value}`);
  logger.info('all system priority classes are created successfully or already exist.');
}

async function create(
  client: Pick<ResourceClient<PriorityClassObject>, 'create'>,
  { name, value, description }: WantedPriorityClass,
): Promise<void> {
  const { group, version } = PRIORITY_CLASSES;
  const metadata = { name };
  try {
    await client.create('', {
      apiVersion: `${group}/${version}`,
      kind: 'PriorityClass',
      metadata,
      value,
      description,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function giveUp(cause: unknown): Error {
  return new Error(`unable to add default system priority classes: ${messageOf(cause)}`, { cause });
}
