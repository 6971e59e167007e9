import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { RestObserver } from '@apiserver/rest-client';
import type { KubeconfigWebhookOptions } from '@apiserver/webhook';
import type { PolicyEvaluator } from '../policy/policy-evaluator.js';
import type { AuditSink } from '../request/audited-request.js';
import type { AuditLogOptions } from './log-options.js';
import type { AuditWebhookOptions } from './webhook-options.js';

/** The values of the flags. */
export interface AuditSettings {
  readonly policyFile: string;
  readonly log: AuditLogOptions;
  readonly webhook: AuditWebhookOptions;
}

/** The policy of a server, and the destination of its events. */
export interface AuditConfig extends AuditSink {
  readonly evaluate: PolicyEvaluator;
}

/** The parts of a server that auditing uses. */
export interface AuditDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** In [0, 1). */
  readonly random: () => number;
  /** The name of this program for webhooks. */
  readonly userAgent: string;
  readonly webhookObserver: RestObserver;
  /** Opens the connections to webhooks. Default: TCP from this machine. */
  readonly webhookDialer?: KubeconfigWebhookOptions['dial'];
}
