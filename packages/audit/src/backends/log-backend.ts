import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditMetrics } from './audit-metrics.js';
import { type LineOutput, type LineParts, LineWriter } from './line-writer.js';
import type { SharedDelivery } from './modes.js';

/** The format of a line. */
export type LogFormat = 'legacy' | 'json';

const PLUGIN = 'log';
const EVENT_START = '{"kind":"Event","apiVersion":"audit.k8s.io/v1",';
const EVENT_END = '}\n';

/** Writes a line for each event. Upstream: k8s.io/apiserver/plugin/pkg/audit/log */
export class LogBackend implements AuditBackend, SharedDelivery {
  readonly name = PLUGIN;
  readonly isStrict = true;
  readonly #writer: LineWriter;
  readonly #lineOf: (record: AuditRecord) => LineParts;
  readonly #metrics: AuditMetrics;

  constructor(output: LineOutput, format: LogFormat, metrics: AuditMetrics) {
    this.#writer = new LineWriter(output);
    this.#lineOf = format === 'legacy' ? ({ line }) => [`${line}\n`] : jsonLine;
    this.#metrics = metrics;
  }

  process(records: readonly AuditRecord[]): boolean | Promise<boolean> {
    let isStored = true;
    let written: Promise<true> | undefined;
    for (const record of records) {
      written = this.#writer.write(this.#lineOf(record), (error) => {
        isStored = false;
        this.#metrics.lost(PLUGIN, error, [record]);
      });
    }
    return written === undefined ? true : written.then(() => isStored);
  }

  deliver(records: readonly AuditRecord[]): true | Promise<true> {
    let written: true | Promise<true> = true;
    for (const record of records) {
      written = this.#writer.write(this.#lineOf(record), (error) => this.#metrics.lost(PLUGIN, error, [record]));
    }
    return written;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#writer[Symbol.asyncDispose]();
  }
}

function jsonLine(record: AuditRecord): LineParts {
  const members = record.members();
  const [only] = members;
  if (members.length === 1 && typeof only === 'string') return [EVENT_START + only + EVENT_END];
  return [EVENT_START, ...members, EVENT_END];
}

/** Bytes of an event as a line. */
export function lineBytes(record: AuditRecord): number {
  return EVENT_START.length + record.byteLength + EVENT_END.length;
}
