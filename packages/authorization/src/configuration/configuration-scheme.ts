import {
  BOOL,
  DURATION,
  list,
  OMIT_EMPTY,
  POINTER,
  STRING,
  type StructSchema,
  struct,
} from '@apiserver/apimachinery/schema';
import type { ConfigurationScheme } from '@apiserver/component-base/configuration';

const GROUP = 'apiserver.config.k8s.io';
const KIND = 'AuthorizationConfiguration';

/** A configuration as its file has it. */
export interface WrittenConfiguration {
  readonly authorizers?: readonly WrittenAuthorizer[] | null;
}

/** One link of the chain as its file has it. */
export interface WrittenAuthorizer {
  readonly type?: string;
  readonly name?: string;
  readonly webhook?: WrittenWebhook | null;
}

/** Durations are texts of Go. */
export interface WrittenWebhook {
  readonly authorizedTTL?: string;
  readonly cacheAuthorizedRequests?: boolean;
  readonly unauthorizedTTL?: string;
  readonly cacheUnauthorizedRequests?: boolean;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string | null };
  readonly matchConditions?: readonly { readonly expression?: string }[] | null;
}

/**
 * The versions of the file, which differ in nothing else. Upstream: k8s.io/apiserver/pkg/apis/apiserver/load/load.go
 */
export function configurationScheme(): ConfigurationScheme {
  const kinds = ['v1', 'v1beta1', 'v1alpha1'].map((version) => ({
    gvk: { group: GROUP, version, kind: KIND },
    schema: configurationSchema(version),
  }));
  return { kinds, name: 'pkg/apis/apiserver/load/load.go:32' };
}

/** Kinds that upstream decodes with the same scheme, by group and version. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    `${GROUP}/v1`,
    ['AdmissionConfiguration', 'AuthenticationConfiguration', 'EncryptionConfiguration', 'TracingConfiguration'],
  ],
  [`${GROUP}/v1beta1`, ['AuthenticationConfiguration', 'TracingConfiguration']],
  [`${GROUP}/v1alpha1`, ['AuthenticationConfiguration', 'TracingConfiguration']],
  ['apiserver.k8s.io/v1beta1', ['EgressSelectorConfiguration']],
  ['apiserver.k8s.io/v1alpha1', ['AdmissionConfiguration', 'EgressSelectorConfiguration']],
]);

/** True for a kind of another configuration file. */
export function isOtherConfiguration({
  group,
  version,
  kind,
}: {
  group: string;
  version: string;
  kind: string;
}): boolean {
  return OTHERS.get(`${group}/${version}`)?.includes(kind) === true;
}

function configurationSchema(version: string): StructSchema {
  const define = (name: string, fields: Parameters<typeof struct>[2]) =>
    struct(`apiserver.${version}.${name}`, `${version}.${name}`, fields);
  const connection = define('WebhookConnectionInfo', () => [
    ['type', 0, STRING],
    ['kubeConfigFile', 0, STRING, POINTER],
  ]);
  const condition = define('WebhookMatchCondition', () => [['expression', 0, STRING]]);
  const webhook = define('WebhookConfiguration', () => [
    ['authorizedTTL', 0, DURATION],
    ['cacheAuthorizedRequests', 0, BOOL, OMIT_EMPTY | POINTER],
    ['unauthorizedTTL', 0, DURATION],
    ['cacheUnauthorizedRequests', 0, BOOL, OMIT_EMPTY | POINTER],
    ['timeout', 0, DURATION],
    ['subjectAccessReviewVersion', 0, STRING],
    ['matchConditionSubjectAccessReviewVersion', 0, STRING],
    ['failurePolicy', 0, STRING],
    ['connectionInfo', 0, connection],
    ['matchConditions', 0, list(condition)],
  ]);
  const authorizer = define('AuthorizerConfiguration', () => [
    ['type', 0, STRING],
    ['name', 0, STRING],
    ['webhook', 0, webhook, OMIT_EMPTY | POINTER],
  ]);
  return define('AuthorizationConfiguration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['authorizers', 0, list(authorizer)],
  ]);
}
