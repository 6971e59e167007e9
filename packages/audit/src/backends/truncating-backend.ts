import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditMetrics } from './audit-metrics.js';
import { lineBytes } from './log-backend.js';

const PLUGIN = 'truncate';
const TOO_LARGE = 'event is too large even after truncating';

/** The bounds of events and batches, in bytes. */
export interface TruncateLimits {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/**
 * Removes the bodies of large events, drops events that are too large without them, and splits large batches.
 * Upstream: k8s.io/apiserver/plugin/pkg/audit/truncate
 */
export function truncatingBackend(
  backend: AuditBackend,
  { maxEventSize, maxBatchSize }: TruncateLimits,
  metrics: AuditMetrics,
): AuditBackend {
  return {
    name: `${PLUGIN}<${backend.name}>`,
    isStrict: backend.isStrict,
    process: (records) => {
      const results: (boolean | Promise<boolean>)[] = [];
      const lost: AuditRecord[] = [];
      let batch: AuditRecord[] = [];
      let batchBytes = 0;
      const send = () => {
        if (batch.length > 0) results.push(backend.process(batch));
        batch = [];
        batchBytes = 0;
      };
      for (const record of records) {
        const kept = record.hasObjects && lineBytes(record) > maxEventSize ? record.truncated() : record;
        const bytes = lineBytes(kept);
        if (bytes > maxEventSize) {
          lost.push(kept);
          continue;
        }
        if (batchBytes + bytes > maxBatchSize) send();
        batch.push(kept);
        batchBytes += bytes;
      }
      send();
      if (lost.length > 0) metrics.lost(PLUGIN, aggregateMessages(lost.map(() => TOO_LARGE)), lost);
      return together(results);
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

function together(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const [only = true] = results;
  if (results.length <= 1) return only;
  return Promise.all(results).then((settled) => !settled.includes(false));
}
