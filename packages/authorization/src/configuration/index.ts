/** The file of --authorization-config. */
export { AccessMatcher, type ConditionsObserver } from '../match-conditions/access-matcher.js';
export { compileConditions, conditionCompiler } from '../match-conditions/compile-conditions.js';
export type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from './authorization-configuration.js';
export { type LoadOptions, loadConfiguration } from './load-configuration.js';
