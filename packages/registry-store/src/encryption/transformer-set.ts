import type { GroupResource } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger } from '@apiserver/apiserver-contracts';
import { identityTransformer, type Transformer } from '../objects/transformer.js';
import { buildProvider, type Provider, type ProviderDependencies, timeoutOf } from './build-providers.js';
import type { EncryptionConfiguration } from './configuration/encryption-configuration.js';
import { type LoadedConfiguration, loadConfiguration } from './configuration/load-configuration.js';
import { ANY, formatResourceName, parseResourceName } from './configuration/resource-name.js';
import { EncryptionError } from './encryption-error.js';
import type { EncryptionMetrics } from './encryption-metrics.js';
import type { KmsProvider } from './kms/kms-provider.js';
import { prefixTransformers } from './prefix-transformers.js';

type Rules = ReadonlyMap<string, readonly Provider[]>;

const EVERYTHING = formatResourceName({ group: ANY, resource: ANY });

/**
 * The transformers of one configuration. Made by loadTransformerSet.
 * Upstream: EncryptionConfiguration of k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go
 */
export class TransformerSet {
  readonly contentHash: string;
  readonly plugins: readonly KmsProvider[];
  /** Maximum time that pending users of this set may need, in milliseconds. */
  readonly closeGracePeriod: number;
  readonly #rules: Rules;
  readonly #metrics: EncryptionMetrics;
  readonly #logger: Logger;
  readonly #made = new Map<string, Transformer>();

  constructor(parts: {
    readonly loaded: LoadedConfiguration;
    readonly rules: Rules;
    readonly plugins: readonly KmsProvider[];
    readonly metrics: EncryptionMetrics;
    readonly logger: Logger;
  }) {
    this.contentHash = parts.loaded.contentHash;
    this.plugins = parts.plugins;
    this.closeGracePeriod = 2 * sumOfTimeouts(parts.loaded.configuration);
    this.#rules = parts.rules;
    this.#metrics = parts.metrics;
    this.#logger = parts.logger;
  }

  /**
   * The transformer of the resource itself, of its group, of everything; or none. Upstream: transformerFromOverrides
   */
  transformerFor(resource: GroupResource): Transformer {
    const name = formatResourceName(resource);
    const known = this.#made.get(name) ?? this.#make(name, resource);
    this.#made.set(name, known);
    return known;
  }

  /** Rejects with the fault of any plugin; they are checked in order. */
  async check(): Promise<void> {
    const errors: string[] = [];
    for (const [i, plugin] of this.plugins.entries()) {
      await plugin.check().catch((error: Error) => errors.push(`kms-provider-${i}: ${error.message}`));
    }
    if (errors.length > 0) throw new EncryptionError(aggregateMessages(errors));
  }

  close(): void {
    for (const plugin of this.plugins) plugin.close();
  }

  #make(name: string, { group }: GroupResource): Transformer {
    const ofGroup = formatResourceName({ group, resource: ANY });
    const providers = this.#rules.get(name) ?? this.#rules.get(ofGroup) ?? this.#rules.get(EVERYTHING);
    if (providers === undefined) return identityTransformer;
    const transformers = providers.map((provider) => provider(name));
    const noMatch = 'no matching prefix found';
    return prefixTransformers({ transformers, noMatch, resource: name, metrics: this.#metrics, logger: this.#logger });
  }
}

/**
 * Loads a configuration and creates its transformers, after one request to each plugin, available or not. Throws an
 * Error with upstream's messages, and leaves nothing open.
 * Upstream: LoadEncryptionConfig
 */
export async function loadTransformerSet(
  { file, reload }: { readonly file: string; readonly reload: boolean },
  dependencies: Omit<ProviderDependencies, 'plugins'>,
): Promise<TransformerSet> {
  const loaded = await loadConfiguration(file, reload).catch((error: Error) => {
    throw new EncryptionError(`error while parsing file: ${error.message}`, error);
  });
  const plugins: KmsProvider[] = [];
  try {
    const rules = await buildRules(loaded.configuration, { ...dependencies, plugins });
    return new TransformerSet({ loaded, rules, plugins, metrics: dependencies.metrics, logger: dependencies.logger });
  } catch (error) {
    for (const plugin of plugins) plugin.close();
    const reason = messageOf(error);
    throw new EncryptionError(`error while building transformers: ${reason}`, error);
  }
}

async function buildRules({ resources }: EncryptionConfiguration, dependencies: ProviderDependencies): Promise<Rules> {
  const rules = new Map<string, Provider[]>();
  for (const entry of resources ?? []) {
    const providers: Provider[] = [];
    for (const provider of entry.providers ?? []) providers.push(await buildProvider(provider, dependencies));
    for (const name of entry.resources ?? []) addRule(rules, parseResourceName(name), providers);
  }
  return rules;
}

/** Another rule for a resource adds providers that may read it. */
function addRule(rules: Map<string, Provider[]>, resource: GroupResource, providers: readonly Provider[]): void {
  const name = formatResourceName(resource);
  for (const mask of [formatResourceName({ group: resource.group, resource: ANY }), EVERYTHING]) {
    if (rules.has(mask)) throw new EncryptionError(`resource ${quote(name)} is masked by earlier rule ${quote(mask)}`);
  }
  rules.set(name, [...(rules.get(name) ?? []), ...providers]);
}

function sumOfTimeouts({ resources }: EncryptionConfiguration): number {
  const providers = (resources ?? []).flatMap((entry) => entry.providers ?? []);
  return providers.reduce((sum, { kms }) => sum + (kms === undefined ? 0 : timeoutOf(kms)), 0);
}
