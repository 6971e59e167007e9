import { readFile } from 'node:fs/promises';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { ServerAuthorization } from '@apiserver/authorization';
import type { AuthorizationConfiguration } from '@apiserver/authorization/configuration';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import { watchFiles } from '../dynamic-certificates/watch-files.js';
import type { ReloadMetrics } from './authorization-metrics.js';

/** A configuration, and the file's content that it was read from. */
export interface LoadedConfiguration {
  readonly content: Uint8Array;
  readonly configuration: AuthorizationConfiguration;
}

/** Dependencies of a configuration that follows its file. */
export interface FollowedConfigurationOptions {
  readonly file: string;
  /** Decodes and validates a new content. Throws an Error. */
  readonly load: (content: Uint8Array) => AuthorizationConfiguration;
  /** Makes the chain of a configuration. Throws an Error. */
  readonly chainOf: (configuration: AuthorizationConfiguration) => ServerAuthorization;
  readonly metrics: ReloadMetrics;
  readonly logger: Logger;
}

/**
 * Authorizes by a file, and takes over its changes while the server runs. A content that cannot be used changes
 * nothing.
 * Upstream: reloadableAuthorizerResolver of pkg/kubeapiserver/authorizer/reload.go
 */
export class FollowedConfiguration implements ServerAuthorization {
  readonly authorizer: ServerAuthorization['authorizer'];
  readonly ruleResolver: ServerAuthorization['ruleResolver'] = {
    rulesFor: (user, namespace) => this.#current.ruleResolver.rulesFor(user, namespace),
  };
  readonly #options: FollowedConfigurationOptions;
  #current: ServerAuthorization;
  #lastContent: Uint8Array;
  #lastConfiguration: AuthorizationConfiguration;
  /** Checks run one after another. */
  #checked: Promise<void> = Promise.resolve();

  /** Throws an Error if no chain can be made of the first configuration. */
  constructor({ content, configuration }: LoadedConfiguration, options: FollowedConfigurationOptions) {
    this.#options = options;
    this.#current = options.chainOf(configuration);
    const current = () => this.#current.authorizer;
    this.authorizer = {
      get isRemote() {
        return current().isRemote ?? false;
      },
      authorize: (attributes, signal) => current().authorize(attributes, signal),
    };
    this.#lastContent = content;
    this.#lastConfiguration = configuration;
    options.metrics.succeeded(content);
  }

  /** Follows the file until the signal aborts. */
  follow(signal: AbortSignal): void {
    const { file, logger } = this.#options;
    const failed = (error: unknown) => logger.error(error, 'watching authorization config file');
    watchFiles({ paths: [file], changed: () => void this.check(), signal, failed });
  }

  /** Reads the file, and resolves when a change of it is in use or refused. */
  check(): Promise<void> {
    this.#checked = this.#checked.then(() => this.#check());
    return this.#checked;
  }

  async #check(): Promise<void> {
    const { file, load, chainOf, metrics, logger } = this.#options;
    try {
      const content = await readFile(file, { flag: READ_WITHOUT_WAITING });
      if (content.equals(this.#lastContent)) return;
      logger.info('found new authorization config data');
      this.#lastContent = content;
      const configuration = load(content);
      if (equalJson(configuration, this.#lastConfiguration)) return;
      logger.info('found new authorization config');
      this.#lastConfiguration = configuration;
      this.#current = chainOf(configuration);
      logger.info('reloaded authz config');
      metrics.succeeded(content);
    } catch (error) {
      logger.error(error, 'reloading authorization config');
      metrics.failed();
    }
  }
}
