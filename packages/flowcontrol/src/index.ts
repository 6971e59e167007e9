/** API Priority and Fairness. */
export {
  exemptSchema,
  mandatoryFlowSchemas,
  suggestedFlowSchemas,
} from './bootstrap/flow-schemas.js';
export {
  exemptLevel,
  mandatoryPriorityLevels,
  suggestedPriorityLevels,
} from './bootstrap/priority-levels.js';
export {
  AUTO_UPDATE_ANNOTATION,
  EXEMPT,
  FLOW_SCHEMAS,
  MAX_MATCHING_PRECEDENCE,
  PRESERVE_ZERO_SHARES_ANNOTATION,
  PRIORITY_LEVELS,
} from './bootstrap/well-known.js';
export { compareFlowSchemas } from './classification/compare-flow-schemas.js';
export {
  type ClassifiedRequest,
  FlowControl,
  type FlowControlOptions,
  type FlowRequest,
} from './configuration/flow-control.js';
export type { RequestWork } from './configuration/request-work.js';
export { DroppedRequests } from './estimation/dropped-requests.js';
export type { ObjectStatsSource } from './estimation/work-estimator.js';
export type { SeatRequest } from './fair-queuing/request-queue.js';
export { formatSeatSeconds } from './fair-queuing/seat-seconds.js';
export { MAX_HASH_BITS, requiredEntropyBits } from './shuffle-sharding/dealer.js';
