import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { AuditConfig, AuditDependencies, AuditSettings } from './audit-config.js';
import { AuditLogOptions } from './log-options.js';
import { AuditWebhookOptions } from './webhook-options.js';

/** Auditing: the "auditing" section. Upstream: AuditOptions of k8s.io/apiserver/pkg/server/options */
export class AuditOptions implements AuditSettings {
  /** `--audit-policy-file`; "": nothing is audited */
  policyFile = '';
  readonly log = new AuditLogOptions();
  readonly webhook = new AuditWebhookOptions();

  addFlags(flags: FlagSet): void {
    flags.string('audit-policy-file', field(this, 'policyFile'), 'File with the audit policy.');
    this.log.addFlags(flags);
    this.webhook.addFlags(flags);
  }

  validate(): readonly Error[] {
    return [...this.log.validate(), ...this.webhook.validate()].map((message) => new Error(message));
  }

  /**
   * Loads the policy and opens the backends; undefined if nothing is audited. A server without auditing loads none of
   * it. Rejects with upstream's error.
   */
  async create(dependencies: AuditDependencies): Promise<AuditConfig | undefined> {
    if (this.policyFile === '' && this.log.path === '' && this.webhook.configFile === '') return undefined;
    const { createAudit } = await import('./create-audit.js');
    return createAudit(this, dependencies);
  }
}
