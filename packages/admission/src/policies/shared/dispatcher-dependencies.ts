import type { Authorizer } from '@apiserver/apiserver-contracts';
import type { MatchConditionMetrics } from '../../matching/match-condition-metrics.js';
import type { RequestMatcher } from '../../matching/request-matcher.js';
import type { PolicyObserver } from './policy-metrics.js';

/** Dependencies of a dispatcher. */
export interface DispatcherDependencies {
  readonly matcher: RequestMatcher;
  readonly authorizer: Authorizer;
  /** Counts match conditions. */
  readonly conditions: MatchConditionMetrics;
  readonly observer?: PolicyObserver;
}
