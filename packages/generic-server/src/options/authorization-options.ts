import {
  type AuthorizerFactories,
  authorizationModes,
  authorizerFromModes,
  validateAuthorizationModes,
} from '@apiserver/authorization';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import type { FlagSet } from './flag-set.js';
import { field } from './flag-value.js';

/**
 * Who may do what: the "authorization" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions
 */
export class AuthorizationOptions {
  /** `--authorization-mode`, in the order they are asked */
  modes: readonly string[] = ['AlwaysAllow'];
  /** Makers of the modes that are not built in. */
  readonly #factories: AuthorizerFactories;

  constructor(factories: AuthorizerFactories = {}) {
    this.#factories = factories;
  }

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'authorization-mode',
      field(this, 'modes'),
      `Ways to authorize requests, in the order they are asked, comma separated. Upstream has ${authorizationModes.join(', ')}.`,
    );
  }

  validate(): readonly Error[] {
    return validateAuthorizationModes(this.modes, this.#factories).map((message) => new Error(message));
  }

  applyTo(config: GenericServerConfig): void {
    config.authorizer = authorizerFromModes(this.modes, this.#factories);
  }
}
