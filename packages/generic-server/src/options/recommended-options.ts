import { aggregateMessages } from '@apiserver/apimachinery/field';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import { DelegatingAuthenticationOptions } from './delegating-authentication-options.js';
import { DelegatingAuthorizationOptions } from './delegating-authorization-options.js';
import { SecureServingOptions } from './secure-serving-options.js';

/**
 * The options of an extension server. Its members are those of `createApiServer`:
 * `createApiServer({ ...options, groups })`.
 * Upstream: k8s.io/apiserver/pkg/server/options.RecommendedOptions
 */
export class RecommendedOptions {
  readonly serving = new SecureServingOptions();
  readonly authentication = new DelegatingAuthenticationOptions();
  readonly authorization = new DelegatingAuthorizationOptions();

  /** The flags in named sections; parsing them writes into these options. */
  flagSets(): NamedFlagSets {
    const sets = new NamedFlagSets();
    this.serving.addFlags(sets.section('secure serving'));
    this.authentication.addFlags(sets.section('authentication'));
    this.authorization.addFlags(sets.section('authorization'));
    return sets;
  }

  /** All faults; empty if the options are valid. */
  validate(): readonly Error[] {
    return [...this.serving.validate(), ...this.authentication.validate(), ...this.authorization.validate()];
  }

  /**
   * Parses a command line without the program's name. Throws a FlagError for unknown flags, and a StartupError with all
   * messages for invalid values.
   */
  static parse(flags: readonly string[]): RecommendedOptions {
    const options = new RecommendedOptions();
    options.flagSets().parse(flags);
    const errors = options.validate();
    if (errors.length > 0) throw new StartupError(aggregateMessages(errors.map(({ message }) => message)));
    return options;
  }
}
