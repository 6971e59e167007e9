import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { GenericServerConfig } from '@apiserver/generic-server';
import { maintenance } from './maintenance-filter.js';
import { createMaintenanceMetrics } from './maintenance-metrics.js';

/** Refuses writes while the operator of the server works on it. */
export class MaintenanceOptions {
  /** `--maintenance-message`: "" for normal service. */
  message = '';

  addFlags(flags: FlagSet): void {
    flags.string(
      'maintenance-message',
      field(this, 'message'),
      'Refuse writes with status 503 and this message. Empty: serve them.',
    );
  }

  validate(): readonly Error[] {
    const isLong = this.message.length > 1024;
    return isLong ? [new Error('--maintenance-message must have at most 1024 characters')] : [];
  }

  applyTo(config: GenericServerConfig): void {
    if (this.message === '') return;
    const filter = maintenance(this.message, createMaintenanceMetrics(config.metrics));
    const { adjustFilters } = config;
    // The last filters are authentication, impersonation, priorityAndFairness and authorization. This one needs the
    // user.
    config.adjustFilters = (defaults) => adjustFilters(defaults).toSpliced(-1, 0, filter);
  }
}
