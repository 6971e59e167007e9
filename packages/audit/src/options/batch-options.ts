import { quote } from '@apiserver/apimachinery/text';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { BatchConfig } from '../backends/buffered-backend.js';
import { AUDIT_MODES } from '../backends/modes.js';

/** Names of backends in flags and messages. */
export type AuditPlugin = 'log' | 'webhook';

/** The mode of a backend, and its batches. Upstream: AuditBatchOptions of k8s.io/apiserver/pkg/server/options */
export class AuditBatchOptions implements BatchConfig {
  /** `--audit-PLUGIN-mode` */
  mode: string;
  /** `--audit-PLUGIN-batch-buffer-size` */
  bufferSize = 10_000;
  /** `--audit-PLUGIN-batch-max-size` */
  maxBatchSize: number;
  /** `--audit-PLUGIN-batch-max-wait`, in milliseconds */
  maxBatchWait: number;
  /** `--audit-PLUGIN-batch-throttle-enable` */
  throttleEnable: boolean;
  /** `--audit-PLUGIN-batch-throttle-qps` */
  throttleQPS: number;
  /** `--audit-PLUGIN-batch-throttle-burst` */
  throttleBurst: number;
  readonly #plugin: AuditPlugin;

  constructor(plugin: AuditPlugin) {
    const isLog = plugin === 'log';
    this.#plugin = plugin;
    this.mode = isLog ? 'blocking' : 'batch';
    // Batches are of no use for a file.
    this.maxBatchSize = isLog ? 1 : 400;
    this.maxBatchWait = isLog ? 0 : 30_000;
    this.throttleEnable = !isLog;
    this.throttleQPS = isLog ? 0 : 10;
    this.throttleBurst = isLog ? 0 : 15;
  }

  addFlags(flags: FlagSet): void {
    const prefix = `audit-${this.#plugin}`;
    flags.string(
      `${prefix}-mode`,
      field(this, 'mode'),
      `Mode of sending events: ${AUDIT_MODES.join(', ')}. In mode batch, no request waits. In the others, responses wait for their events. In blocking-strict, a request fails if its first event is lost.`,
    );
    flags.int(
      `${prefix}-batch-buffer-size`,
      field(this, 'bufferSize'),
      'Maximum number of events waiting for a batch. Mode batch only.',
    );
    flags.int(
      `${prefix}-batch-max-size`,
      field(this, 'maxBatchSize'),
      'Maximum number of events in a batch. Mode batch only.',
    );
    flags.duration(
      `${prefix}-batch-max-wait`,
      field(this, 'maxBatchWait'),
      'Maximum time that an event waits for its batch to fill. Mode batch only.',
    );
    flags.bool(
      `${prefix}-batch-throttle-enable`,
      field(this, 'throttleEnable'),
      'Limit the number of batches per second. Mode batch only.',
    );
    flags.float(
      `${prefix}-batch-throttle-qps`,
      field(this, 'throttleQPS'),
      'Maximum average number of batches per second. Mode batch only.',
    );
    flags.int(
      `${prefix}-batch-throttle-burst`,
      field(this, 'throttleBurst'),
      'Maximum number of batches in a burst. Mode batch only.',
    );
  }

  /** The message of the first fault. Settings of other modes are not checked. */
  validate(): readonly string[] {
    const plugin = this.#plugin;
    if (!AUDIT_MODES.some((mode) => mode === this.mode)) {
      return [`invalid audit ${plugin} mode ${this.mode}, allowed modes are ${quote(AUDIT_MODES.join(','))}`];
    }
    if (this.mode !== 'batch') return [];
    const positive: (readonly [string, number])[] = [
      ['buffer size', this.bufferSize],
      ['max batch size', this.maxBatchSize],
    ];
    if (this.throttleEnable) positive.push(['throttle QPS', this.throttleQPS], ['throttle burst', this.throttleBurst]);
    const fault = positive.find(([, value]) => value <= 0);
    return fault === undefined
      ? []
      : [`invalid audit batch ${plugin} ${fault[0]} ${fault[1]}, must be a positive number`];
  }
}
