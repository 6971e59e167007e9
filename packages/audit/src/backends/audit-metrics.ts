import type { Logger } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { AuditLevel } from '../event/audit-event.js';
import type { AuditRecord } from '../event/audit-record.js';

/** Events that one message of an error lists. */
const LISTED_EVENTS = 400;

/** The metrics of auditing, and its error log. Upstream: k8s.io/apiserver/pkg/audit/metrics.go */
export class AuditMetrics {
  readonly #events;
  readonly #rejected;
  readonly #levels;
  readonly #seriesOfLevels = new Map<AuditLevel, { value: number }>();
  readonly #errors;
  readonly #logger: Logger;

  constructor(registry: MetricsRegistry, logger: Logger) {
    const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
      registry.counter({ name: `apiserver_audit_${name}`, help, labels });
    this.#events = counter('event_total', 'Audit events that were made and sent to the backends.', []).with({});
    this.#errors = counter('error_total', 'Audit events that a plugin could not deliver.', ['plugin']);
    this.#levels = counter('level_total', 'Requests by the level at which the policy audits them.', ['level']);
    this.#rejected = counter(
      'requests_rejected_total',
      'Requests refused because their first event was lost.',
      [],
    ).with({});
    this.#logger = logger;
  }

  event(): void {
    this.#events.value++;
  }

  level(level: AuditLevel): void {
    const series = this.#seriesOfLevels.get(level) ?? this.#levels.with({ level });
    this.#seriesOfLevels.set(level, series);
    series.value++;
  }

  rejected(): void {
    this.#rejected.value++;
  }

  /** Counts lost events and writes them to the log. */
  lost(plugin: string, error: string, records: readonly AuditRecord[]): void {
    this.#errors.with({ plugin }).value += records.length;
    const lines = records.slice(0, LISTED_EVENTS).map(({ line }) => `${line}\n`);
    this.#logger.error(
      undefined,
      `Error in audit plugin '${plugin}' affecting ${records.length} audit events: ${error}\nImpacted events:\n${lines.join('')}`,
    );
  }
}
