import { aggregateMessages } from '@apiserver/apimachinery/field';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import { DelegatingAuthenticationOptions } from './delegating-authentication-options.js';
import { DelegatingAuthorizationOptions } from './delegating-authorization-options.js';
import { SecureServingOptions } from './secure-serving-options.js';

/**
 * The options of an extension server. Its members are those of `createApiServer`: `createApiServer({ ...options, groups })`.
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

  /** Everything that is wrong; empty when nothing is. */
  validate(): readonly Error[] {
    return [...this.serving.validate(), ...this.authentication.validate(), ...this.authorization.validate()];
  }

  /**
   * Options from a command line without the program's name. Throws a FlagError for flags that are not understood, and a
   * StartupError with every message for values that are not valid.
   */
  static parse(flags: readonly string[]): RecommendedOptions {
    const options = new RecommendedOptions();
    options.flagSets().parse(flags);
    const errors = options.validate();
    if (errors.length > 0) throw new StartupError(aggregateMessages(errors.map(({ message }) => message)));
    return options;
  }
}
