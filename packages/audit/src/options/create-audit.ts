import { stdout } from 'node:process';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import { orStartupError } from '@apiserver/component-base/process';
import { kubeconfigWebhook } from '@apiserver/webhook';
import type { AuditBackend } from '../backends/audit-backend.js';
import { AuditMetrics } from '../backends/audit-metrics.js';
import { BufferedBackend } from '../backends/buffered-backend.js';
import type { LineOutput } from '../backends/line-writer.js';
import { LogBackend } from '../backends/log-backend.js';
import { appendedFile, ensureLogFile, streamOutput } from '../backends/log-outputs.js';
import { ignoringErrors, type SharedDelivery, unionBackend } from '../backends/modes.js';
import { RotatedFile } from '../backends/rotated-file.js';
import { truncatingBackend } from '../backends/truncating-backend.js';
import { WebhookBackend } from '../backends/webhook-backend.js';
import { loadPolicyFile } from '../policy/load-policy.js';
import { newPolicyEvaluator, type PolicyEvaluator } from '../policy/policy-evaluator.js';
import type { AuditConfig, AuditDependencies, AuditSettings } from './audit-config.js';
import type { AuditBatchOptions, AuditPlugin } from './batch-options.js';
import type { AuditLogOptions } from './log-options.js';
import type { AuditTruncateOptions } from './truncate-options.js';
import type { AuditWebhookOptions } from './webhook-options.js';

/** Loads the policy and opens the backends. Throws an Error with upstream's message. */
export function createAudit(options: AuditSettings, dependencies: AuditDependencies): AuditConfig | undefined {
  const { logger } = dependencies;
  const evaluate = evaluatorOf(options, logger);
  const metrics = new AuditMetrics(dependencies.metrics, logger);
  const backends: AuditBackend[] = [];
  const isUsed = (plugin: AuditPlugin, setting: string): boolean => {
    if (setting === '' || evaluate !== undefined) return setting !== '';
    logger.v(2)?.info(`No audit policy file provided, no events will be recorded for ${plugin} backend`);
    return false;
  };
  if (options.log.path !== '' && options.log.path !== '-') ensureLogFile(options.log.path);
  if (isUsed('log', options.log.path)) backends.push(logBackend(options.log, dependencies, metrics));
  if (isUsed('webhook', options.webhook.configFile)) {
    backends.push(webhookBackend(options.webhook, dependencies, metrics));
  }
  const backend = unionBackend(backends);
  if (backend === undefined || evaluate === undefined) return undefined;
  logger.v(2)?.info(`Using audit backend: ${backend.name}`);
  return { evaluate, backend, metrics };
}

function evaluatorOf({ policyFile }: AuditSettings, logger: Logger): PolicyEvaluator | undefined {
  if (policyFile === '') return undefined;
  return newPolicyEvaluator(orStartupError(() => loadPolicyFile(policyFile, logger), 'loading audit policy file: '));
}

function logBackend(options: AuditLogOptions, dependencies: AuditDependencies, metrics: AuditMetrics): AuditBackend {
  const format = options.format === 'legacy' ? 'legacy' : 'json';
  const log = new LogBackend(logOutput(options, dependencies.clock), format, metrics);
  const { batch, truncate } = options;
  return truncated(inMode(log, { batch, isAsync: false }, dependencies.clock, metrics), truncate, metrics);
}

function logOutput({ path, maxAge, maxBackups, maxSize, compress }: AuditLogOptions, clock: Clock): LineOutput {
  if (path === '-') return streamOutput(stdout);
  if (maxSize === 0) return appendedFile(path);
  return new RotatedFile({ path, clock, compress, maxBackups, maxAgeDays: maxAge, maxMegabytes: maxSize });
}

function webhookBackend(
  { configFile, initialBackoff, batch, truncate }: AuditWebhookOptions,
  { clock, random, userAgent, webhookObserver, webhookDialer }: AuditDependencies,
  metrics: AuditMetrics,
): AuditBackend {
  const connection = { configFile, userAgent, clock, observer: webhookObserver, dial: webhookDialer };
  const client = orStartupError(() => kubeconfigWebhook(connection), 'initializing audit webhook: ');
  const webhook = new WebhookBackend({ client, initialBackoff, clock, random, metrics });
  return truncated(inMode(webhook, { batch, isAsync: true }, clock, metrics), truncate, metrics);
}

function inMode(
  backend: AuditBackend & Partial<SharedDelivery>,
  { batch, isAsync }: { readonly batch: AuditBatchOptions; readonly isAsync: boolean },
  clock: Clock,
  metrics: AuditMetrics,
): AuditBackend {
  if (batch.mode === 'blocking-strict') return backend;
  if (batch.mode === 'blocking') return ignoringErrors(backend);
  return new BufferedBackend({ backend, config: batch, isAsync, clock, metrics });
}

function truncated(backend: AuditBackend, options: AuditTruncateOptions, metrics: AuditMetrics): AuditBackend {
  return options.enabled ? truncatingBackend(backend, options, metrics) : backend;
}
