import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { type ControllerHook, consumeFlowControl, flowControlProducer } from '@apiserver/controlplane';
import { FLOW_SCHEMAS, type FlowControl, PRIORITY_LEVELS } from '@apiserver/flowcontrol';
import type { PostStartHookContext } from '@apiserver/generic-server';
import { createInformer } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';

/**
 * Keeps the objects of priority and fairness, even if it is off. Upstream:
 * pkg/registry/flowcontrol/rest/storage_flowcontrol.go
 */
export function flowControlProducers(config: CompletedKubeApiServerConfig): readonly ControllerHook[] {
  const { clock, logger } = config.generic;
  return isServed(config) ? [flowControlProducer({ clock, logger: logger.named('flowcontrol') })] : [];
}

/** The hooks of the filter of priority and fairness. Upstream: k8s.io/apiserver/pkg/server/config.go */
export function flowControlHooks(config: CompletedKubeApiServerConfig): readonly ControllerHook[] {
  const { generic, storage } = config;
  const { flowControl } = generic;
  const logger = generic.logger.named('flowcontrol');
  // Upstream's hooks of the filters maintain watermarks, which need no upkeep here.
  if (flowControl === undefined) return [finishedHook('max-in-flight-filter')];
  flowControl.useStats((group, resource) => storage.objectCounts.statsOf(group, resource));
  const consumer: ControllerHook = {
    name: 'priority-and-fairness-config-consumer',
    async run(context) {
      if (!isServed(config)) return;
      consume(flowControl, config, context).catch((error: unknown) => {
        if (context.signal.aborted) return;
        logger.error(error, 'Flow schemas and priority levels are not read until the server is started again');
      });
    },
  };
  return [consumer, finishedHook('priority-and-fairness-filter')];
}

function isServed({ enabled }: CompletedKubeApiServerConfig): boolean {
  return enabled.isEnabled(FLOW_SCHEMAS) && enabled.isEnabled(PRIORITY_LEVELS);
}

/** A hook for clients that wait for one of this name: its work is not needed here. */
export function finishedHook(name: string): ControllerHook {
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
