import { readFile } from 'node:fs/promises';
import { durationClock, sleep } from '@apiserver/apimachinery/clock';
import { errorOf, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors, aggregateMessages } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import {
  type AuthenticationConfiguration,
  anonymousChanged,
  decodeAuthenticationConfiguration,
  type IssuerEnvironment,
  IssuerSet,
  type ValidationContext,
  validateConfiguration,
} from '@apiserver/authentication/oidc';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import { watchFiles } from '../dynamic-certificates/watch-files.js';
import type { ConfigurationMetrics } from './configuration-metrics.js';

/** New issuers must respond within this time. Upstream: UpdateAuthenticationConfigTimeout */
const HEALTHY_WITHIN = 60_000;
/** Milliseconds between two looks at the health of new issuers. */
const HEALTH_INTERVAL_MS = 1_000;
/** Requests of replaced issuers may go on for this time. Upstream: updateAuthenticationConfig */
const GRACE_MS = 60_000;

/** Input of a reloader. */
export interface ConfigurationReloaderOptions {
  readonly path: string;
  /** The content in use. */
  readonly text: string;
  readonly initial: IssuerSet;
  /** The anonymous requests of the initial file. They cannot be changed. */
  readonly anonymous: AuthenticationConfiguration['anonymous'];
  readonly context: ValidationContext;
  readonly environment: IssuerEnvironment;
  readonly metrics: ConfigurationMetrics;
  readonly logger: Logger;
}

/** A configuration that could not be taken. Its cause is the reason. */
class ReloadError extends Error {}

/** A content that never becomes valid. The file is then not tried again until it changes. */
class InvalidContent extends ReloadError {}

/**
 * Follows the file of a configuration. A broken file, and issuers that do not respond, change nothing.
 * Upstream: ApplyTo of pkg/kubeapiserver/options/authentication.go; updateAuthenticationConfig of
 * pkg/kubeapiserver/authenticator/config.go
 */
export class ConfigurationReloader implements TokenAuthenticator {
  readonly #options: ConfigurationReloaderOptions;
  #current: IssuerSet;
  /** The content that was tried last. */
  #text: string;
  #loading: Promise<void> | undefined;
  #again = false;

  constructor(options: ConfigurationReloaderOptions) {
    this.#options = options;
    this.#current = options.initial;
    this.#text = options.text;
    options.metrics.configured(options.text);
  }

  /** Follows the file until the environment ends. */
  start(): void {
    const { path, environment, logger } = this.#options;
    const failed = (error: unknown) => logger.error(error, 'watching authentication config file');
    watchFiles({ paths: [path], changed: () => this.#look(), signal: environment.signal, failed });
  }

  authenticateToken(token: string) {
    return this.#current.authenticateToken(token);
  }

  /** One look at a time. A change during one leads to another. */
  #look(): void {
    this.#again = this.#loading !== undefined;
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
      if (this.#again) this.#look();
    });
  }

  async #reload(): Promise<void> {
    const { environment, logger, metrics } = this.#options;
    let text: string | undefined;
    try {
      text = await this.#read();
      if (text === this.#text) return;
      await this.#apply(text);
      this.#text = text;
      logger.info('reloaded authentication config');
      metrics.reloaded('success');
      metrics.configured(text);
    } catch (error) {
      if (environment.signal.aborted) return;
      if (error instanceof InvalidContent && text !== undefined) this.#text = text;
      logger.error(causeOf(error), messageOf(error));
      metrics.reloaded('failure');
    }
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#options.path, { encoding: 'utf8', flag: READ_WITHOUT_WAITING });
    } catch (error) {
      throw new ReloadError('failed to read authentication config file', { cause: error });
    }
  }

  async #apply(text: string): Promise<void> {
    const { environment } = this.#options;
    const next = new IssuerSet(this.#validated(text), environment);
    try {
      await this.#waitUntilHealthy(next);
    } catch (error) {
      next.close();
      throw new ReloadError('failed to update authentication config', { cause: error });
    }
    const old = this.#current;
    this.#current = next;
    const kept = new Set(next.issuers);
    for (const issuer of old.issuers) if (!kept.has(issuer)) environment.metrics.forget(issuer);
    environment.clock.schedule(() => old.close(), GRACE_MS);
  }

  #validated(text: string) {
    const { context, anonymous } = this.#options;
    const configuration = this.#decoded(text);
    const { issuers, errors } = validateConfiguration(configuration, context);
    const isSame = equalJson(anonymous ?? null, configuration.anonymous ?? null);
    const all = isSame ? errors : [...errors, anonymousChanged()];
    if (all.length === 0) return issuers;
    const cause = new Error(aggregateFieldErrors(all));
    throw new InvalidContent('failed to validate authentication config', { cause });
  }

  #decoded(text: string): AuthenticationConfiguration {
    try {
      return decodeAuthenticationConfiguration(Buffer.from(text));
    } catch (cause) {
      throw new InvalidContent('failed to load authentication config', { cause });
    }
  }

  async #waitUntilHealthy(next: IssuerSet): Promise<void> {
    const { environment } = this.#options;
    const { signal } = environment;
    const clock = durationClock(environment.clock);
    const deadline = clock.now() + HEALTHY_WITHIN;
    // The first attempt may itself take half a minute.
    await Promise.race([next.start(), sleep(clock, HEALTH_INTERVAL_MS, signal)]);
    for (let failure = next.health(); failure !== undefined; failure = next.health()) {
      signal.throwIfAborted();
      if (clock.now() >= deadline) {
        throw new ReloadError(aggregateMessages([failure.message, 'context deadline exceeded']));
      }
      await sleep(clock, HEALTH_INTERVAL_MS, signal);
    }
  }
}

/** Failures carry what was tried as their message, and the reason as their cause. */
function causeOf(error: unknown): unknown {
  return errorOf(error).cause ?? error;
}
