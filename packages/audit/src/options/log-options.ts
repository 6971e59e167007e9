import { quote } from '@apiserver/apimachinery/text';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { LogFormat } from '../backends/log-backend.js';
import { AuditBatchOptions } from './batch-options.js';
import { AUDIT_VERSION, validateAuditVersion } from './group-version.js';
import { AuditTruncateOptions } from './truncate-options.js';

/** Formats of lines, in the order of messages. Upstream: AllowedFormats of k8s.io/apiserver/plugin/pkg/audit/log */
const LOG_FORMATS: readonly string[] = ['legacy', 'json'] satisfies LogFormat[];

/** The log backend. Upstream: AuditLogOptions of k8s.io/apiserver/pkg/server/options */
export class AuditLogOptions {
  /** `--audit-log-path`; "": none, "-": standard output */
  path = '';
  /** `--audit-log-maxage`, in days */
  maxAge = 366;
  /** `--audit-log-maxbackup` */
  maxBackups = 100;
  /** `--audit-log-maxsize`, in megabytes */
  maxSize = 100;
  /** `--audit-log-format` */
  format = 'json';
  /** `--audit-log-version` */
  version = AUDIT_VERSION;
  /** `--audit-log-compress` */
  compress = false;
  readonly batch = new AuditBatchOptions('log');
  readonly truncate = new AuditTruncateOptions('log');

  addFlags(flags: FlagSet): void {
    flags.string('audit-log-path', field(this, 'path'), 'File for audit events; "-" is the standard output.');
    flags.int('audit-log-maxage', field(this, 'maxAge'), 'Maximum age of old audit files in days. 0: no limit.');
    flags.int('audit-log-maxbackup', field(this, 'maxBackups'), 'Maximum number of old audit files. 0: no limit.');
    flags.int(
      'audit-log-maxsize',
      field(this, 'maxSize'),
      'Size in megabytes at which the audit file is rotated. 0: never, which is not recommended.',
    );
    flags.string(
      'audit-log-format',
      field(this, 'format'),
      `Format of events in the file: ${LOG_FORMATS.join(', ')}. The format legacy is one line of text for an event.`,
    );
    flags.string('audit-log-version', field(this, 'version'), 'Group and version of events in the file.');
    flags.bool('audit-log-compress', field(this, 'compress'), 'Compress old audit files with gzip.');
    this.batch.addFlags(flags);
    this.truncate.addFlags(flags);
  }

  validate(): readonly string[] {
    if (this.path === '') return [];
    const messages = [...this.batch.validate(), ...this.truncate.validate(), ...validateAuditVersion(this.version)];
    if (!LOG_FORMATS.includes(this.format)) {
      messages.push(`invalid audit log format ${this.format}, allowed formats are ${quote(LOG_FORMATS.join(','))}`);
    }
    for (const [flag, value] of [
      ['maxage', this.maxAge],
      ['maxbackup', this.maxBackups],
      ['maxsize', this.maxSize],
    ] as const) {
      if (value < 0) messages.push(`--audit-log-${flag} ${value} can't be a negative number`);
    }
    return messages;
  }
}
