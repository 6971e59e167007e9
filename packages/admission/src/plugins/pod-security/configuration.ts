import {
  aggregateFieldErrors,
  aggregateMessages,
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
} from '@apiserver/apimachinery/field';
import { list, OMIT_EMPTY, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import { nameIsDNSSubdomain, validateNamespaceName } from '@apiserver/apimachinery/validation';
import { type ConfigurationKinds, decodeConfiguration } from '../../plugin-configuration.js';
import { InitializationError } from '../../plugin-definition.js';
import {
  isPodSecurityLevel,
  isPolicyVersion,
  LATEST,
  LEVEL_PROBLEM,
  type LevelVersion,
  VERSION_PROBLEM,
} from '../../pod-security/level-version.js';
import { type NamespacePolicy, POLICY_MODES, type PolicyMode } from '../../pod-security/namespace-policy.js';

const GROUP = 'pod-security.admission.config.k8s.io';

/** Requests and pods that no policy applies to. */
interface PodSecurityExemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

/** The configuration of the plugin, complete. */
export interface PodSecurityConfiguration {
  /** The policies of namespaces without labels. */
  readonly defaults: NamespacePolicy;
  readonly exemptions: PodSecurityExemptions;
}

type Exemption = keyof PodSecurityExemptions;

/** The file's content. Upstream: k8s.io/pod-security-admission/admission/api/v1/types.go */
interface ConfigurationFile {
  readonly defaults: Readonly<Record<string, string>>;
  readonly exemptions: { readonly [name in Exemption]?: readonly string[] | null };
}

/**
 * Decodes, defaults and validates a configuration; undefined stands for one without content. Throws a
 * ConfigurationError or an InitializationError with upstream's messages.
 * Upstream: k8s.io/pod-security-admission/admission/api/load, admission/api/validation
 */
export function podSecurityConfiguration(configuration: unknown): PodSecurityConfiguration {
  const file: ConfigurationFile =
    configuration === undefined
      ? { defaults: {}, exemptions: {} }
      : decodeConfiguration<ConfigurationFile>(configuration, configurationKinds());
  const defaults = defaultsOf(file);
  const { usernames, namespaces, runtimeClasses } = file.exemptions;
  const errors = [
    ...exemptionErrors('namespaces', namespaces, (name) => validateNamespaceName(name)),
    ...exemptionErrors('runtimeClasses', runtimeClasses, (name) => nameIsDNSSubdomain(name)),
    ...exemptionErrors('usernames', usernames, (name) => (name === '' ? ['username must not be empty'] : [])),
  ];
  if (errors.length > 0) throw new InitializationError(`PodSecurity invalid: ${aggregateFieldErrors(errors)}`);
  const exemptions = {
    usernames: new Set(usernames),
    namespaces: new Set(namespaces),
    runtimeClasses: new Set(runtimeClasses),
  };
  return { defaults, exemptions };
}

function configurationKinds(): ConfigurationKinds {
  const path = 'k8s.io/pod-security-admission/admission/api';
  const modes = POLICY_MODES.flatMap((mode) => [mode, `${mode}-version`]);
  const defaults = type('Defaults', () => modes.map((name) => [name, 0, STRING, OMIT_EMPTY]));
  const exemptions = type('Exemptions', () => [
    ['usernames', 0, list(STRING), OMIT_EMPTY],
    ['namespaces', 0, list(STRING), OMIT_EMPTY],
    ['runtimeClasses', 0, list(STRING), OMIT_EMPTY],
  ]);
  const schema = type('Configuration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['defaults', 0, defaults],
    ['exemptions', 0, exemptions],
  ]);
  const scheme = `${path}/scheme/scheme.go:31`;
  const versions = ['v1', 'v1beta1', 'v1alpha1'];
  const kinds = versions.map((version) => ({ group: GROUP, version, kind: 'PodSecurityConfiguration' }));
  return { kinds, schema, scheme };
}

function type(name: string, fields: Parameters<typeof struct>[2]): StructSchema {
  return struct(`podsecurity.v1.PodSecurity${name}`, `v1.PodSecurity${name}`, fields);
}

function defaultsOf({ defaults }: ConfigurationFile): NamespacePolicy {
  const errors: string[] = [];
  const policyOf = (mode: PolicyMode): LevelVersion => {
    const level = defaults[mode] || 'privileged';
    const version = defaults[`${mode}-version`] || LATEST;
    const isLevel = isPodSecurityLevel(level);
    if (!isLevel) errors.push(`${mode}: ${LEVEL_PROBLEM}`);
    if (!isPolicyVersion(version)) errors.push(`${mode}-version: ${VERSION_PROBLEM}`);
    return { level: isLevel ? level : 'restricted', version };
  };
  const policy = { enforce: policyOf('enforce'), audit: policyOf('audit'), warn: policyOf('warn') };
  if (errors.length === 0) return policy;
  throw new InitializationError(`PodSecurity configuration error: ${aggregateMessages(errors)}`);
}

function exemptionErrors(
  field: Exemption,
  names: readonly string[] | null | undefined,
  validate: (name: string) => readonly string[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return (names ?? []).flatMap((name, i) => {
    const path = FieldPath.of('exemptions', field).index(i);
    const problems = validate(name);
    if (problems.length > 0) return fieldInvalid(path, name, problems.join(', '));
    if (seen.has(name)) return fieldDuplicate(path, name);
    seen.add(name);
    return [];
  });
}
