import type { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { priorityLevel, queuingLevel } from './bootstrap-objects.js';
import { CATCH_ALL, EXEMPT } from './well-known.js';

/** Without limits; for administrators and probes. */
export const exemptLevel: PriorityLevelConfiguration = priorityLevel(EXEMPT, {
  type: 'Exempt',
  exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
});

/** For requests that match nothing else. */
export const catchAllLevel: PriorityLevelConfiguration = priorityLevel(CATCH_ALL, {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
});

/**
 * Levels that always exist.
 * Upstream: MandatoryPriorityLevelConfigurations of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap
 */
export const mandatoryPriorityLevels: readonly PriorityLevelConfiguration[] = [catchAllLevel, exemptLevel];

const SMALL = { queues: 16, handSize: 4 };
const MIDDLE = { queues: 64, handSize: 6 };
const LARGE = { queues: 128, handSize: 6 };

/** Levels that an administrator may change. Upstream: SuggestedPriorityLevelConfigurations */
export const suggestedPriorityLevels: readonly PriorityLevelConfiguration[] = [
  queuingLevel('system', { nominal: 30, lendablePercent: 33 }, MIDDLE),
  queuingLevel('node-high', { nominal: 40, lendablePercent: 25 }, MIDDLE),
  queuingLevel('leader-election', { nominal: 10, lendablePercent: 0 }, SMALL),
  queuingLevel('workload-high', { nominal: 40, lendablePercent: 50 }, LARGE),
  queuingLevel('workload-low', { nominal: 100, lendablePercent: 90 }, LARGE),
  queuingLevel('global-default', { nominal: 20, lendablePercent: 50 }, LARGE),
];
