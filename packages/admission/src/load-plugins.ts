import { messageOf } from '@apiserver/apimachinery/errors';
import type { AdmissionChain, AdmissionPlugin, Logger } from '@apiserver/apiserver-contracts';
import { type AdmissionObserver, createAdmissionChain } from './admission-chain.js';
import { calledOperations } from './called-operations.js';
import {
  type AdmissionPluginDefinition,
  type AdmissionPluginDependencies,
  InitializationError,
} from './plugin-definition.js';

/** Input of `loadPlugins`. */
export interface LoadPluginsOptions {
  /** The plugins to run, in order; those that are not implemented are skipped. */
  readonly definitions: readonly AdmissionPluginDefinition[];
  /** Dependencies of the plugins, except the configuration, which differs for each. */
  readonly dependencies: Omit<AdmissionPluginDependencies, 'configuration'>;
  /** The plugin's part of the admission configuration; undefined if there is none. */
  configurationOf(name: string): unknown;
  readonly logger: Logger;
  readonly observer?: AdmissionObserver;
}

/**
 * Makes the plugins and their chain, and logs their names. Throws an Error if a plugin rejects its configuration.
 * Upstream: Plugins.NewFromPlugins of k8s.io/apiserver/pkg/admission/plugins.go
 */
export function loadPlugins(options: LoadPluginsOptions): AdmissionChain {
  const { definitions, dependencies, configurationOf, logger, observer } = options;
  const plugins = definitions.flatMap(({ name, create }) => {
    if (create === undefined) return [];
    try {
      return create({ ...dependencies, configuration: configurationOf(name) });
    } catch (error) {
      const problem = error instanceof InitializationError ? 'failed to initialize' : "couldn't init";
      throw new Error(`${problem} admission plugin "${name}": ${messageOf(error)}`, { cause: error });
    }
  });
  logLoaded(
    logger,
    'mutating',
    plugins.filter(({ admit }) => admit !== undefined),
  );
  logLoaded(
    logger,
    'validating',
    plugins.filter(({ validate }) => validate !== undefined),
  );
  const operationsOf = ({ name }: AdmissionPlugin) => calledOperations(name);
  return createAdmissionChain(plugins, observer && { observer, operationsOf });
}

function logLoaded(logger: Logger, phase: string, plugins: readonly AdmissionPlugin[]): void {
  if (plugins.length === 0) return;
  const names = plugins.map(({ name }) => name).join(',');
  logger.info(
    `Loaded ${plugins.length} ${phase} admission controller(s) successfully in the following order: ${names}.`,
  );
}
