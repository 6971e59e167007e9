import {
  type AuthorizationMode,
  type AuthorizerFactories,
  authorizationFromModes,
  authorizationModes,
  type ServerAuthorization,
  validateAuthorizationModes,
} from '@apiserver/authorization';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { AuthorizationWebhookOptions } from './authorization-webhook-options.js';

/**
 * Authorization of clients: the "authorization" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions
 */
export class AuthorizationOptions {
  /** `--authorization-mode`, in order */
  modes: readonly string[] = ['AlwaysAllow'];
  readonly webhook = new AuthorizationWebhookOptions();
  /** Modes that are not built in; `applyTo` receives their factories. */
  readonly #handedIn: readonly AuthorizationMode[];

  constructor(handedIn: readonly AuthorizationMode[] = []) {
    this.#handedIn = handedIn;
  }

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'authorization-mode',
      field(this, 'modes'),
      `Comma-separated authorization modes, in the order in which they are consulted. Upstream has ${authorizationModes.join(', ')}.`,
    );
    this.webhook.addFlags(flags);
  }

  validate(): readonly Error[] {
    const messages = validateAuthorizationModes(this.modes, ['Webhook', ...this.#handedIn]);
    return [...messages.map((message) => new Error(message)), ...this.webhook.validate(this.modes)];
  }

  /**
   * Returns its settings for dependent parts: admission plugins, guards. Throws an Error when the kubeconfig of a webhook
   * cannot be used.
   */
  applyTo(config: GenericServerConfig, factories: AuthorizerFactories = {}): ServerAuthorization {
    const authorization = authorizationFromModes(this.modes, {
      Webhook: () => this.webhook.authorizer(config),
      ...factories,
    });
    config.authorizer = authorization.authorizer;
    config.ruleResolver = authorization.ruleResolver;
    return authorization;
  }
}
