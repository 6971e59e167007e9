import { type FlagSet, field } from '@apiserver/component-base/flags';
import { AuditBatchOptions } from './batch-options.js';
import { AUDIT_VERSION, validateAuditVersion } from './group-version.js';
import { AuditTruncateOptions } from './truncate-options.js';

/** The webhook backend. Upstream: AuditWebhookOptions of k8s.io/apiserver/pkg/server/options */
export class AuditWebhookOptions {
  /** `--audit-webhook-config-file`; "": none */
  configFile = '';
  /** `--audit-webhook-initial-backoff`, in milliseconds */
  initialBackoff = 10_000;
  /** `--audit-webhook-version` */
  version = AUDIT_VERSION;
  readonly batch = new AuditBatchOptions('webhook');
  readonly truncate = new AuditTruncateOptions('webhook');

  addFlags(flags: FlagSet): void {
    const backoff = 'Time before the first retry of a failed request.';
    flags.string(
      'audit-webhook-config-file',
      field(this, 'configFile'),
      'Kubeconfig of the webhook for audit events, which are posted to the URL of its cluster.',
    );
    flags.duration('audit-webhook-initial-backoff', field(this, 'initialBackoff'), backoff);
    flags.duration('audit-webhook-batch-initial-backoff', field(this, 'initialBackoff'), backoff, {
      deprecated: 'Deprecated, use --audit-webhook-initial-backoff instead.',
    });
    flags.string('audit-webhook-version', field(this, 'version'), 'Group and version of events for the webhook.');
    this.batch.addFlags(flags);
    this.truncate.addFlags(flags);
  }

  validate(): readonly string[] {
    if (this.configFile === '') return [];
    return [...this.batch.validate(), ...this.truncate.validate(), ...validateAuditVersion(this.version)];
  }
}
