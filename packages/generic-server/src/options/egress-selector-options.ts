import { existsSync } from 'node:fs';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import type { GenericServerConfig } from '../config/generic-server-config.js';

/** The proxies by which a server leaves its network. Upstream: k8s.io/apiserver/pkg/server/options.EgressSelectorOptions */
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

  /** Rejects with a StartupError for a configuration that cannot be used. Only this method loads the proxies. */
  async applyTo(config: GenericServerConfig): Promise<void> {
    if (this.configFile === '') return;
    const { readEgressConfiguration, validateEgressConfiguration } = await import('../egress/egress-configuration.js');
    const configuration = orPrefixed('failed to read egress selector config', () =>
      readEgressConfiguration(this.configFile),
    );
    const errors = validateEgressConfiguration(configuration);
    if (errors.length > 0) {
      throw new StartupError(`failed to validate egress selector configuration: ${aggregateFieldErrors(errors)}`);
    }
    const { newEgressSelector } = await import('../egress/egress-selector.js');
    config.egress = orPrefixed('failed to setup egress selector', () =>
      newEgressSelector(configuration, { registry: config.metrics, clock: config.clock }),
    );
  }
}

function orPrefixed<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new StartupError(`${prefix}: ${messageOf(error)}`, { cause: error });
  }
}
