import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';
import { ensureFlowControlObjects, UpkeepError } from './ensure-objects.js';

/** Dependencies of the hook beside its context. */
export interface FlowControlProducerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds: between attempts at first, for all of them, and between later rounds. */
const PAUSE_MS = 1_000;
const AT_MOST = 300_000;
const PERIOD_MS = 60_000;

/**
 * Keeps the bootstrap objects of priority and fairness. The server is not ready before they exist, and exits if that
 * takes five minutes.
 * Upstream: PostStartHook of pkg/registry/flowcontrol/rest/storage_flowcontrol.go
 */
export function flowControlProducer(options: FlowControlProducerOptions): ControllerHook {
  return {
    name: 'priority-and-fairness-config-producer',
    async run(context) {
      await firstRound(options, context);
      void laterRounds(options, context);
    },
  };
}

async function firstRound(options: FlowControlProducerOptions, context: ControllerContext): Promise<void> {
  const clock = durationClock(options.clock);
  const deadline = clock.now() + AT_MOST;
  while (!context.signal.aborted) {
    const failure = await round(options, context);
    if (failure === undefined) return;
    if (clock.now() >= deadline) {
      const message = 'unable to initialize APF bootstrap configuration: timed out waiting for the condition';
      throw new UpkeepError(message, { cause: failure.error });
    }
    await sleep(clock, PAUSE_MS, context.signal);
  }
}

async function laterRounds(options: FlowControlProducerOptions, context: ControllerContext): Promise<void> {
  for (;;) {
    await sleep(options.clock, PERIOD_MS, context.signal);
    if (context.signal.aborted) return;
    await round(options, context);
  }
}

async function round(
  { logger }: FlowControlProducerOptions,
  { loopbackClient, signal }: ControllerContext,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await ensureFlowControlObjects(loopbackClient, logger);
    return undefined;
  } catch (error) {
    if (!signal.aborted) logger.error(error, 'APF bootstrap ensurer ran into error, will retry later');
    return { error };
  }
}
