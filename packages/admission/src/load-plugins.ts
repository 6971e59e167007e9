import type { AdmissionChain, AdmissionPlugin, Logger } from '@apiserver/apiserver-contracts';
import { type AdmissionObserver, createAdmissionChain } from './admission-chain.js';
import type { AdmissionPluginDefinition, AdmissionPluginParts } from './plugin-definition.js';

/** How a chain is made of plugins that are known by name. */
export interface LoadPluginsOptions {
  /** Those that are to run, in order; the ones that are not built are left out. */
  readonly definitions: readonly AdmissionPluginDefinition[];
  /** All but the configuration, which is each plugin's own. */
  readonly parts: Omit<AdmissionPluginParts, 'configuration'>;
  /** What the admission configuration says for a plugin; undefined when it says nothing. */
  configurationOf(name: string): unknown;
  readonly logger: Logger;
  readonly observer?: AdmissionObserver;
}

/**
 * Makes the plugins and their chain, and logs which run. Throws an Error for a configuration that a plugin cannot use.
 * Upstream: Plugins.NewFromPlugins of k8s.io/apiserver/pkg/admission/plugins.go
 */
export function loadPlugins(options: LoadPluginsOptions): AdmissionChain {
  const { definitions, parts, configurationOf, logger, observer } = options;
  const plugins = definitions.flatMap(({ name, create }) => {
    if (create === undefined) return [];
    try {
      return create({ ...parts, configuration: configurationOf(name) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`couldn't init admission plugin "${name}": ${reason}`, { cause: error });
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
  return createAdmissionChain(plugins, observer);
}

function logLoaded(logger: Logger, phase: string, plugins: readonly AdmissionPlugin[]): void {
  if (plugins.length === 0) return;
  const names = plugins.map(({ name }) => name).join(',');
  logger.info(
    `Loaded ${plugins.length} ${phase} admission controller(s) successfully in the following order: ${names}.`,
  );
}
