import {
  BOOL,
  list,
  named,
  OMIT_EMPTY,
  POINTER,
  type Schema,
  STRING,
  type StructSchema,
  struct,
} from '@apiserver/apimachinery/schema';
import {
  ConfigurationError,
  type ConfigurationScheme,
  configurationKinds,
  decodeConfiguration,
} from '@apiserver/component-base/configuration';
import type { AuthenticationConfiguration } from './authentication-configuration.js';

const GROUP = 'apiserver.config.k8s.io';
const KIND = 'AuthenticationConfiguration';
/** The scheme's name, without the line that upstream adds. */
const SCHEME = 'pkg/kubeapiserver/options/authentication.go';

/**
 * Decodes a configuration, YAML or JSON. Throws a ConfigurationError with upstream's messages.
 * Upstream: loadAuthenticationConfigFromData of pkg/kubeapiserver/options/authentication.go
 */
export function decodeAuthenticationConfiguration(bytes: Uint8Array): AuthenticationConfiguration {
  if (bytes.length === 0) throw new ConfigurationError('empty config data');
  return decodeConfiguration<AuthenticationConfiguration>(bytes, scheme()).object;
}

/** Made on demand: it is needed at a start, and when the file changes. */
function scheme(): ConfigurationScheme {
  const schema = type('AuthenticationConfiguration', [
    ['kind', STRING, OMIT_EMPTY],
    ['apiVersion', STRING, OMIT_EMPTY],
    ['jwt', list(jwt(), 'atomic')],
    ['anonymous', anonymous(), OMIT_EMPTY + POINTER],
  ]);
  const versions = ['v1', 'v1beta1', 'v1alpha1'];
  return {
    name: SCHEME,
    kinds: configurationKinds(
      schema,
      versions.map((version) => [GROUP, version, KIND] as const),
    ),
  };
}

function anonymous() {
  const condition = type('AnonymousAuthCondition', [['path', STRING]]);
  return type('AnonymousAuthConfig', [
    ['enabled', BOOL],
    ['conditions', list(condition, 'atomic'), OMIT_EMPTY],
  ]);
}

function jwt() {
  return type('JWTAuthenticator', [
    ['issuer', issuer()],
    ['claimValidationRules', list(claimValidationRule(), 'atomic'), OMIT_EMPTY],
    ['claimMappings', claimMappings()],
    ['userValidationRules', list(userValidationRule(), 'atomic'), OMIT_EMPTY],
  ]);
}

function issuer() {
  return type('Issuer', [
    ['url', STRING],
    ['discoveryURL', STRING, OMIT_EMPTY + POINTER],
    ['certificateAuthority', STRING, OMIT_EMPTY],
    ['audiences', list(STRING, 'atomic')],
    ['audienceMatchPolicy', named('v1.AudienceMatchPolicyType'), OMIT_EMPTY],
    ['egressSelectorType', named('v1.EgressSelectorType'), OMIT_EMPTY],
  ]);
}

function claimValidationRule() {
  return type('ClaimValidationRule', [
    ['claim', STRING, OMIT_EMPTY],
    ['requiredValue', STRING, OMIT_EMPTY],
    ['expression', STRING, OMIT_EMPTY],
    ['message', STRING, OMIT_EMPTY],
  ]);
}

function userValidationRule() {
  return type('UserValidationRule', [
    ['expression', STRING],
    ['message', STRING, OMIT_EMPTY],
  ]);
}

function claimMappings() {
  const prefixed = type('PrefixedClaimOrExpression', [
    ['claim', STRING, OMIT_EMPTY],
    ['prefix', STRING, OMIT_EMPTY + POINTER],
    ['expression', STRING, OMIT_EMPTY],
  ]);
  const claimOrExpression = type('ClaimOrExpression', [
    ['claim', STRING, OMIT_EMPTY],
    ['expression', STRING, OMIT_EMPTY],
  ]);
  const extra = type('ExtraMapping', [
    ['key', STRING],
    ['valueExpression', STRING],
  ]);
  return type('ClaimMappings', [
    ['username', prefixed],
    ['groups', prefixed, OMIT_EMPTY],
    ['uid', claimOrExpression],
    ['extra', list(extra, 'atomic'), OMIT_EMPTY],
  ]);
}

type Field = readonly [name: string, schema: Schema, flags?: number];

/** A struct of the configuration. Its fields have no numbers: it is never protobuf. */
function type(name: string, fields: readonly Field[]): StructSchema {
  const withNumbers = fields.map(([field, schema, flags = 0]) => [field, 0, schema, flags] as const);
  return struct(`apiserver.v1.${name}`, `v1.${name}`, () => withNumbers);
}
