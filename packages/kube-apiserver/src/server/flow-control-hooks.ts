import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { type ControllerHook, consumeFlowControl, flowControlProducer } from '@apiserver/controlplane';
import { FLOW_SCHEMAS, type FlowControl, PRIORITY_LEVELS } from '@apiserver/flowcontrol';
import type { PostStartHookContext } from '@apiserver/generic-server';
import { createInformer } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';

/**
 * The hooks of priority and fairness: the objects are kept even if it is off, as upstream.
 * Upstream: k8s.io/apiserver/pkg/server/config.go, pkg/registry/flowcontrol/rest/storage_flowcontrol.go
 */
export function flowControlHooks(config: CompletedKubeApiServerConfig): readonly ControllerHook[] {
  const { generic, storage } = config;
  const { clock, flowControl } = generic;
  const logger = generic.logger.named('flowcontrol');
  const isServed = config.enabled.isEnabled(FLOW_SCHEMAS) && config.enabled.isEnabled(PRIORITY_LEVELS);
  const producer = isServed ? [flowControlProducer({ clock, logger })] : [];
  if (flowControl === undefined) return [...producer, done('max-in-flight-filter')];
  flowControl.useStats((group, resource) => storage.objectCounts.statsOf(group, resource));
  const consumer: ControllerHook = {
    name: 'priority-and-fairness-config-consumer',
    async run(context) {
      if (!isServed) return;
      consume(flowControl, config, context).catch((error: unknown) => {
        if (!context.signal.aborted)
          logger.error(error, 'The configuration of priority and fairness is no longer read');
      });
    },
  };
  return [...producer, consumer, done('priority-and-fairness-filter')];
}

/** Upstream's hooks of these names maintain watermarks, which need no upkeep here. */
function done(name: string): ControllerHook {
  return { name, run: async () => {} };
}

/** Begins when the server is ready: until then, requests come from the server itself. */
async function consume(
  flowControl: FlowControl,
  { generic, randomInt }: CompletedKubeApiServerConfig,
  { loopbackClient, signal }: PostStartHookContext,
): Promise<void> {
  const { clock, random, signals } = generic;
  const logger = generic.logger.named('flowcontrol');
  await afterReadiness(signals);
  if (signal.aborted) return;
  const client = loopbackClient.resource<FlowSchema>(FLOW_SCHEMAS);
  const levelClient = loopbackClient.resource<PriorityLevelConfiguration>(PRIORITY_LEVELS);
  await using schemas = createInformer({ client, clock, random: randomInt, logger });
  await using levels = createInformer({ client: levelClient, clock, random: randomInt, logger });
  await consumeFlowControl({ flowControl, levels, schemas, client, clock, random, logger }, signal);
}
