import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { TruncateLimits } from '../backends/truncating-backend.js';
import type { AuditPlugin } from './batch-options.js';

/** The bounds of events. Upstream: AuditTruncateOptions of k8s.io/apiserver/pkg/server/options */
export class AuditTruncateOptions implements TruncateLimits {
  /** `--audit-PLUGIN-truncate-enabled` */
  enabled = false;
  /** `--audit-PLUGIN-truncate-max-batch-size` */
  maxBatchSize = 10 * 1024 * 1024;
  /** `--audit-PLUGIN-truncate-max-event-size` */
  maxEventSize = 100 * 1024;
  readonly #plugin: AuditPlugin;

  constructor(plugin: AuditPlugin) {
    this.#plugin = plugin;
  }

  addFlags(flags: FlagSet): void {
    const prefix = `audit-${this.#plugin}-truncate`;
    flags.bool(`${prefix}-enabled`, field(this, 'enabled'), 'Truncate events and batches.');
    flags.int(
      `${prefix}-max-batch-size`,
      field(this, 'maxBatchSize'),
      'Maximum size of a batch in bytes, without a few hundred bytes around the events. A larger batch is split.',
    );
    flags.int(
      `${prefix}-max-event-size`,
      field(this, 'maxEventSize'),
      'Maximum size of an event in bytes. A larger event loses the bodies of request and response, and is dropped if that is not enough.',
    );
  }

  validate(): readonly string[] {
    const { maxBatchSize, maxEventSize } = this;
    const start = `invalid audit truncate ${this.#plugin}`;
    if (maxEventSize <= 0) return [`${start} max event size ${maxEventSize}, must be a positive number`];
    if (maxBatchSize >= maxEventSize) return [];
    return [`${start} max batch size ${maxBatchSize}, must be greater than max event size (${maxEventSize})`];
  }
}
