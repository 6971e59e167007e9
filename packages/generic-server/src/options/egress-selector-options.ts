import { existsSync } from 'node:fs';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { orStartupError, StartupError } from '@apiserver/component-base/process';
import type { EgressDependencies, EgressSelector } from '../egress/egress-selector.js';

/**
 * The proxies by which a server leaves its network. Upstream: k8s.io/apiserver/pkg/server/options.EgressSelectorOptions
 */
export class EgressSelectorOptions {
  /** `--egress-selector-config-file`; "" for none. */
  configFile = '';

  addFlags(flags: FlagSet): void {
    flags.string(
      'egress-selector-config-file',
      field(this, 'configFile'),
      'EgressSelectorConfiguration with the proxies for connections to the cluster and to the control plane.',
    );
  }

  validate(): readonly Error[] {
    if (this.configFile === '' || existsSync(this.configFile)) return [];
    return [new Error(`egress-selector-config-file ${this.configFile} does not exist`)];
  }

  /**
   * Makes the dialers; undefined without a configuration. Rejects with a StartupError for one that cannot be used. Only
   * this method loads the proxies.
   */
  async create(dependencies: EgressDependencies): Promise<EgressSelector | undefined> {
    if (this.configFile === '') return undefined;
    const { readEgressConfiguration, validateEgressConfiguration } = await import('../egress/egress-configuration.js');
    const configuration = orStartupError(
      () => readEgressConfiguration(this.configFile),
      'failed to read egress selector config: ',
    );
    const errors = validateEgressConfiguration(configuration);
    if (errors.length > 0) {
      throw new StartupError(`failed to validate egress selector configuration: ${aggregateFieldErrors(errors)}`);
    }
    const { newEgressSelector } = await import('../egress/egress-selector.js');
    return orStartupError(() => newEgressSelector(configuration, dependencies), 'failed to setup egress selector: ');
  }
}
