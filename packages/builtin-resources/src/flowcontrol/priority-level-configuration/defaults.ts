import type { PriorityLevelConfiguration, QueuingConfiguration } from '@apiserver/api/flowcontrol/v1';

/** Mutates. Upstream: pkg/apis/flowcontrol/v1/defaults.go */
export function applyPriorityLevelDefaults({ spec: { limited, exempt } }: PriorityLevelConfiguration): void {
  if (limited !== undefined) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    if (limited.limitResponse.queuing !== undefined) applyQueuingDefaults(limited.limitResponse.queuing);
  }
  if (exempt !== undefined) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
}

function applyQueuingDefaults(queuing: QueuingConfiguration): void {
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}
