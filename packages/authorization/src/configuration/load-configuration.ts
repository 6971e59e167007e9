import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors, aggregateMessages } from '@apiserver/apimachinery/field';
import { parseDuration } from '@apiserver/apimachinery/values';
import type { ExpressionCompiler } from '@apiserver/cel';
import {
  ConfigurationError,
  decodeInterpreted,
  interpretConfiguration,
  strictly,
} from '@apiserver/component-base/configuration';
import { StartupError } from '@apiserver/component-base/process';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from './authorization-configuration.js';
import {
  configurationScheme,
  isOtherConfiguration,
  type WrittenAuthorizer,
  type WrittenConfiguration,
  type WrittenWebhook,
} from './configuration-scheme.js';
import { validateConfiguration } from './validate-configuration.js';

const DEFAULT_AUTHORIZED_TTL_MS = 300_000;
const DEFAULT_UNAUTHORIZED_TTL_MS = 30_000;

/** Input of `loadConfiguration` besides the file. */
export interface LoadOptions {
  readonly compiler: ExpressionCompiler;
  /** Types besides Webhook that the file must have: those of the server's start. */
  readonly requiredTypes?: ReadonlySet<string>;
}

/**
 * Decodes, defaults and validates the content of a configuration file. Throws a StartupError with upstream's messages.
 * Upstream: LoadAndValidateData of pkg/kubeapiserver/authorizer/config.go
 */
export function loadConfiguration(
  bytes: Uint8Array,
  { compiler, requiredTypes = new Set() }: LoadOptions,
): AuthorizationConfiguration {
  let configuration: AuthorizationConfiguration;
  try {
    configuration = decodeAuthorization(bytes);
  } catch (error) {
    const message = `failed to load AuthorizationConfiguration from file: ${messageOf(error)}`;
    throw new StartupError(message, { cause: error });
  }
  const errors = validateConfiguration(configuration, compiler);
  if (errors.length > 0) throw new StartupError(aggregateFieldErrors(errors));
  const faults = nameFaults(configuration, requiredTypes);
  if (faults.length > 0) throw new StartupError(aggregateMessages(faults));
  return configuration;
}

/** The name that each type but Webhook must have. Upstream: GetNameForAuthorizerMode */
function authorizerNameOf(type: string): string {
  return type.toLowerCase();
}

function nameFaults({ authorizers }: AuthorizationConfiguration, required: ReadonlySet<string>): readonly string[] {
  const others = authorizers.filter(({ type }) => type !== 'Webhook');
  const faults = others
    .filter(({ type, name }) => name !== authorizerNameOf(type))
    .map(({ type, name }) => `expected name ${authorizerNameOf(type)} for authorizer ${type} instead of ${name}`);
  const missing = [...required].filter((type) => others.every((one) => one.type !== type)).sort();
  return missing.length === 0 ? faults : [...faults, `missing required types: [${missing.join(' ')}]`];
}

/** Decodes a file strictly, and sets the defaults. Upstream: k8s.io/apiserver/pkg/apis/apiserver/load */
function decodeAuthorization(bytes: Uint8Array): AuthorizationConfiguration {
  if (bytes.length === 0) return { authorizers: [] };
  const file = interpretConfiguration(bytes);
  if (isOtherConfiguration(file.gvk)) {
    throw new ConfigurationError(`expected AuthorizationConfiguration, got *apiserver.${file.gvk.kind}`);
  }
  const { object } = strictly(decodeInterpreted<WrittenConfiguration>(file, configurationScheme()));
  return { authorizers: (object.authorizers ?? []).map(authorizerOf) };
}

function authorizerOf({ type = '', name = '', webhook }: WrittenAuthorizer): AuthorizerConfiguration {
  return { type, name, ...(webhook == null ? {} : { webhook: webhookOf(webhook) }) };
}

function webhookOf(written: WrittenWebhook): WebhookConfiguration {
  const { type = '', kubeConfigFile } = written.connectionInfo ?? {};
  return {
    authorizedTtl: millisecondsOf(written.authorizedTTL) || DEFAULT_AUTHORIZED_TTL_MS,
    cacheAuthorizedRequests: written.cacheAuthorizedRequests ?? true,
    unauthorizedTtl: millisecondsOf(written.unauthorizedTTL) || DEFAULT_UNAUTHORIZED_TTL_MS,
    cacheUnauthorizedRequests: written.cacheUnauthorizedRequests ?? true,
    timeout: millisecondsOf(written.timeout),
    subjectAccessReviewVersion: written.subjectAccessReviewVersion ?? '',
    matchConditionSubjectAccessReviewVersion: written.matchConditionSubjectAccessReviewVersion ?? '',
    failurePolicy: written.failurePolicy ?? '',
    connectionInfo: { type, ...(kubeConfigFile == null ? {} : { kubeConfigFile }) },
    matchConditions: (written.matchConditions ?? []).map(({ expression = '' }) => expression),
  };
}

function millisecondsOf(duration = '0s'): number {
  return Number(parseDuration(duration)) / 1e6;
}
