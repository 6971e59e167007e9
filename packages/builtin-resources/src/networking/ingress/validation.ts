import type { Ingress, IngressBackend, IngressRule, IngressSpec, IngressTLS } from '@apiserver/api/networking/v1';
import {
  appendAll,
  type FieldError,
  FieldPath,
  fieldInvalid,
  hasFieldErrors,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isDNS1123Subdomain, isWildcardDNS1123Subdomain, nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { type BackendRules, hasRelaxedServiceName, validateIngressBackend } from './backend-validation.js';
import { validateHTTPRule } from './http-rule-validation.js';

/** The annotation that preceded the field of the class. */
export const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

const SPEC = FieldPath.of('spec');

/** Rules of the server, and existing faults that an update may keep. */
interface Allowances extends BackendRules {
  readonly invalidSecretName: boolean;
  readonly invalidWildcardHostRule: boolean;
}

/** Upstream: ValidateIngressCreate of pkg/apis/networking/validation/validation.go */
export function validateIngressCreate(ingress: Ingress, rules: BackendRules): readonly FieldError[] {
  const annotation = ingress.metadata.annotations?.[INGRESS_CLASS_ANNOTATION];
  const { ingressClassName } = ingress.spec;
  const errors = validateIngress(ingress, { ...rules, invalidSecretName: false, invalidWildcardHostRule: false });
  if (annotation === undefined || ingressClassName === undefined || annotation === ingressClassName) return errors;
  const path = FieldPath.of('annotations', INGRESS_CLASS_ANNOTATION);
  return [...errors, fieldInvalid(path, annotation, 'must match `ingressClassName` when both are specified')];
}

/** Upstream: ValidateIngressUpdate */
export function validateIngressUpdate(ingress: Ingress, old: Ingress, rules: BackendRules): readonly FieldError[] {
  const relaxedServiceNames = rules.relaxedServiceNames || backendsOf(old.spec).some(hasRelaxedServiceName);
  return [
    ...validateBuiltInObjectMetaUpdate(ingress.metadata, old.metadata),
    ...validateIngress(ingress, {
      relaxedServiceNames,
      invalidSecretName: (old.spec.tls ?? []).some(({ secretName = '' }) => secretNameFaults(secretName).length > 0),
      invalidWildcardHostRule: (old.spec.rules ?? []).some(isInvalidWildcardRule),
    }),
  ];
}

function backendsOf({ defaultBackend, rules = [] }: IngressSpec): readonly IngressBackend[] {
  const ofRules = rules.flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend));
  return defaultBackend === undefined ? ofRules : [defaultBackend, ...ofRules];
}

/** As upstream, the name of a service must begin with a letter here, whatever the feature gate says. */
function isInvalidWildcardRule({ host = '', http }: IngressRule): boolean {
  const rules = { relaxedServiceNames: false };
  return host.includes('*') && hasFieldErrors(() => validateHTTPRule(http, rules, SPEC));
}

function validateIngress({ metadata, spec }: Ingress, allowances: Allowances): FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: true }), ...validateSpec(spec, allowances)];
}

function validateSpec(spec: IngressSpec, allowances: Allowances): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    const fault = 'either `defaultBackend` or `rules` must be specified';
    errors.push(fieldInvalid(SPEC, printedAsJson(spec.rules ?? null), fault));
  }
  if (defaultBackend !== undefined) {
    appendAll(errors, validateIngressBackend(defaultBackend, allowances, SPEC.child('defaultBackend')));
  }
  appendAll(
    errors,
    rules.flatMap((rule, i) => validateRule(rule, allowances, SPEC.child('rules').index(i))),
  );
  appendAll(
    errors,
    tls.flatMap((entry, i) => validateTLS(entry, allowances, SPEC.child('tls').index(i))),
  );
  if (ingressClassName !== undefined) {
    const path = SPEC.child('ingressClassName');
    errors.push(...nameIsDNSSubdomain(ingressClassName).map((fault) => fieldInvalid(path, ingressClassName, fault)));
  }
  return errors;
}

function validateRule({ host = '', http }: IngressRule, allowances: Allowances, path: FieldPath): FieldError[] {
  const errors = host === '' ? [] : validateRuleHost(host, path.child('host'));
  if (host.includes('*') && allowances.invalidWildcardHostRule) return errors;
  return [...errors, ...validateHTTPRule(http, allowances, path)];
}

function validateRuleHost(host: string, path: FieldPath): FieldError[] {
  const isAddress = parseIPAddress(host) !== undefined;
  return [
    ...(isAddress ? [fieldInvalid(path, host, 'must be a DNS name, not an IP address')] : []),
    ...validateHost(host, path),
  ];
}

/** Validates a DNS name whose first label may be an asterisk. */
function validateHost(host: string, path: FieldPath): FieldError[] {
  const faults = host.includes('*') ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host);
  return faults.map((fault) => fieldInvalid(path, host, fault));
}

function validateTLS(
  { hosts = [], secretName = '' }: IngressTLS,
  allowances: Allowances,
  path: FieldPath,
): FieldError[] {
  const faults = allowances.invalidSecretName ? [] : secretNameFaults(secretName);
  return [
    ...hosts.flatMap((host, i) => validateHost(host, path.child('hosts').index(i))),
    ...faults.map((fault) => fieldInvalid(path.child('secretName'), secretName, fault)),
  ];
}

function secretNameFaults(name: string): string[] {
  return name === '' ? [] : nameIsDNSSubdomain(name);
}
