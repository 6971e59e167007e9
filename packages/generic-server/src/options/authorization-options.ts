import { type AuthorizationMode, type ServerAuthorization, validateAuthorizationModes } from '@apiserver/authorization';
import type { AuthorizerConfiguration } from '@apiserver/authorization/configuration';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import { decisionMetrics } from '../authorization/authorization-metrics.js';
import { type ConfiguredAuthorizer, chainOf } from '../authorization/configured-authorizers.js';
import type { LoadedConfiguration } from '../authorization/followed-configuration.js';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { AuthorizationWebhookOptions, WEBHOOK_FLAGS } from './authorization-webhook-options.js';

/** The name of the webhook of the flags. Upstream: defaultWebhookName of pkg/kubeapiserver/options */
const WEBHOOK_NAME = 'default';
/** Upstream: BuiltInAuthorizationOptions.Complete */
const DEFAULT_MODES: readonly string[] = ['AlwaysAllow'];

/** Authorizers that only the program can make, because they need its store, by mode. */
export type MadeAuthorizers = Readonly<Partial<Record<AuthorizationMode, ConfiguredAuthorizer>>>;

/** Dependencies of authorization on the program. */
export interface AuthorizationDependencies {
  /** Default: `plan` of the same options. */
  readonly plan?: AuthorizationPlan;
  /** Of the plan's modes; others are ignored. Default: none. */
  readonly made?: MadeAuthorizers;
  /** The name of this server among its peers, in metrics. */
  readonly serverId?: string;
}

/** The authorizers that options configure, before they are made. */
export interface AuthorizationPlan {
  /** In the order in which they are asked. */
  readonly authorizers: readonly AuthorizerConfiguration[];
  /** Undefined if flags configure the authorizers. */
  readonly loaded?: LoadedConfiguration;
}

/**
 * Authorization of clients: the "authorization" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions
 */
export class AuthorizationOptions {
  /** `--authorization-mode`, in order. Empty: AlwaysAllow, unless a file configures the authorizers. */
  modes: readonly string[] = [];
  /** `--authorization-policy-file`, for the mode ABAC */
  policyFile = '';
  /** `--authorization-config` */
  configFile = '';
  readonly webhook = new AuthorizationWebhookOptions();
  /** Modes besides the built-in ones. `applyTo` receives their authorizers. */
  readonly #handedIn: readonly AuthorizationMode[];
  #areModeFlagsSet: () => boolean = () => false;

  constructor(handedIn: readonly AuthorizationMode[] = []) {
    this.#handedIn = handedIn;
  }

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'authorization-mode',
      field(this, 'modes'),
      'Comma-separated authorization modes, in the order in which they are consulted: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node. Default: AlwaysAllow, unless --authorization-config is set.',
    );
    flags.string(
      'authorization-policy-file',
      field(this, 'policyFile'),
      'File with the policies of --authorization-mode=ABAC: one JSON object on each line.',
    );
    this.webhook.addFlags(flags);
    flags.string(
      'authorization-config',
      field(this, 'configFile'),
      'File with an AuthorizationConfiguration, which configures the chain of authorizers. It excludes --authorization-mode and --authorization-webhook-*.',
    );
    const excluded: ReadonlySet<string> = new Set(['authorization-mode', ...WEBHOOK_FLAGS]);
    this.#areModeFlagsSet = () => flags.flags().some(({ name, changed }) => changed && excluded.has(name));
  }

  /** Part of completing the options. */
  complete(): void {
    if (this.configFile === '' && this.modes.length === 0) this.modes = DEFAULT_MODES;
  }

  validate(): readonly Error[] {
    if (this.configFile !== '') {
      return this.#areModeFlagsSet()
        ? [
            new Error(
              '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
            ),
          ]
        : [];
    }
    const { modes, policyFile, webhook } = this;
    const messages = validateAuthorizationModes(modes.length === 0 ? DEFAULT_MODES : modes, {
      available: ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', ...this.#handedIn],
      policyFile,
      webhookConfigFile: webhook.configFile,
    });
    return [...messages.map((message) => new Error(message)), ...webhook.validate()];
  }

  /** Reads what configures the authorizers. Rejects with a StartupError for a file that cannot be used. */
  async plan(): Promise<AuthorizationPlan> {
    if (this.configFile !== '') {
      const { loadAuthorizationFile } = await import('../authorization/load-authorization.js');
      const loaded = await loadAuthorizationFile(this.configFile);
      return { authorizers: loaded.configuration.authorizers, loaded };
    }
    const authorizers = this.modes.map((type) =>
      type === 'Webhook'
        ? { type, name: WEBHOOK_NAME, webhook: this.webhook.toConfiguration() }
        : { type, name: type.toLowerCase() },
    );
    return { authorizers };
  }

  /**
   * Sets the authorizer of the config, and returns it for admission plugins and guards. Rejects with an Error
   * for files that cannot be used.
   */
  async applyTo(
    config: GenericServerConfig,
    { made = {}, serverId = '', ...given }: AuthorizationDependencies = {},
  ): Promise<ServerAuthorization> {
    const plan = given.plan ?? (await this.plan());
    const kept = await this.#keptAuthorizers(plan, config, made);
    const authorization =
      plan.loaded === undefined
        ? await this.#fromFlags(plan, config, kept)
        : await this.#fromFile(plan.loaded, config, { kept, serverId });
    config.authorizer = authorization.authorizer;
    config.ruleResolver = authorization.ruleResolver;
    return authorization;
  }

  async #keptAuthorizers(
    { authorizers }: AuthorizationPlan,
    { logger }: GenericServerConfig,
    made: MadeAuthorizers,
  ): Promise<ReadonlyMap<string, ConfiguredAuthorizer>> {
    const kept = new Map<string, ConfiguredAuthorizer>();
    for (const { type } of authorizers) {
      const authorizer = Object.entries(made).find(([mode]) => mode === type)?.[1];
      if (authorizer !== undefined) kept.set(type, authorizer);
      else if (type === 'ABAC') {
        const { abacAuthorizer, loadPolicyFile } = await import('@apiserver/authorization/abac');
        kept.set(type, abacAuthorizer(loadPolicyFile(this.policyFile, logger)));
      }
    }
    return kept;
  }

  async #fromFlags(
    { authorizers }: AuthorizationPlan,
    config: GenericServerConfig,
    kept: ReadonlyMap<string, ConfiguredAuthorizer>,
  ): Promise<ServerAuthorization> {
    const observe = decisionMetrics(config.metrics);
    const [hook] = authorizers.flatMap(({ name, webhook }) => (webhook === undefined ? [] : [{ name, webhook }]));
    const made = hook && (await this.#webhookOfFlags(hook, config));
    const webhook = () => {
      if (made !== undefined) return made;
      throw new StartupError('no webhook is configured');
    };
    return chainOf(authorizers, { kept, webhook, observe });
  }

  async #webhookOfFlags(
    { name, webhook }: Required<Pick<AuthorizerConfiguration, 'name' | 'webhook'>>,
    config: GenericServerConfig,
  ): Promise<ConfiguredAuthorizer> {
    const [{ configuredWebhook }, { authorizationWebhookMetrics }] = await Promise.all([
      import('../authorization/configured-webhook.js'),
      import('../webhooks/webhook-metrics.js'),
    ]);
    const metrics = authorizationWebhookMetrics(config.metrics)(name);
    return configuredWebhook({ webhook, backoff: this.webhook.retryBackoff, metrics }, config);
  }

  async #fromFile(
    loaded: LoadedConfiguration,
    config: GenericServerConfig,
    parts: { readonly kept: ReadonlyMap<string, ConfiguredAuthorizer>; readonly serverId: string },
  ): Promise<ServerAuthorization> {
    const { followAuthorizationFile } = await import('../authorization/load-authorization.js');
    const options = { ...parts, file: this.configFile, backoff: this.webhook.retryBackoff };
    return followAuthorizationFile(loaded, options, config);
  }
}
