import type { AuditRecord } from '../event/audit-record.js';

/** Takes events. Upstream: k8s.io/apiserver/pkg/audit.Backend */
export interface AuditBackend extends AsyncDisposable {
  /** For logs. */
  readonly name: string;
  /** True if requests wait for their first event, and are refused if it cannot be stored. */
  readonly isStrict: boolean;
  /**
   * Takes events in order. The result is false if some are lost that must not be; a promise if requests must wait for
   * the delivery. Never throws or rejects.
   */
  process(records: readonly AuditRecord[]): boolean | Promise<boolean>;
  /** Delivers what is buffered, and frees what the backend holds. Later events are lost. */
  [Symbol.asyncDispose](): Promise<void>;
}
