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

/**
 * Authorization of clients: the "authorization" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions
 */
export class AuthorizationOptions {
  /** `--authorization-mode`, in order */
  modes: readonly string[] = ['AlwaysAllow'];
  /** Modes that are not built in; `applyTo` receives their factories. */
  readonly #handedIn: readonly AuthorizationMode[];

  constructor(handedIn: readonly AuthorizationMode[] = []) {
    this.#handedIn = handedIn;
  }

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'authorization-mode',
      field(this, 'modes'),
      `Ways to authorize requests, in the order they are asked, comma separated. Upstream has ${authorizationModes.join(', ')}.`,
    );
  }

  validate(): readonly Error[] {
    return validateAuthorizationModes(this.modes, this.#handedIn).map((message) => new Error(message));
  }

  /** Returns its settings for dependent parts: admission plugins, guards. */
  applyTo(config: GenericServerConfig, factories: AuthorizerFactories = {}): ServerAuthorization {
    const authorization = authorizationFromModes(this.modes, factories);
    config.authorizer = authorization.authorizer;
    config.ruleResolver = authorization.ruleResolver;
    return authorization;
  }
}
