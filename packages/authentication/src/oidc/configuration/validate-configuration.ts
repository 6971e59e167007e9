import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import type { AuthenticationConfiguration, JwtConfiguration } from './authentication-configuration.js';
import { type CompiledMappings, validateClaimMappings } from './validate-claim-mappings.js';
import { validateIssuer } from './validate-issuer.js';
import { type ValidationState, validateClaimRules, validateUserRules } from './validate-rules.js';
import type { ValidationContext } from './validation-context.js';

const MAX_ISSUERS = 64;
const JWT = FieldPath.of('jwt');
const ANONYMOUS = FieldPath.of('anonymous');

/** An issuer with its compiled expressions. */
export interface CompiledIssuer {
  readonly configuration: JwtConfiguration;
  readonly mappings: CompiledMappings;
  readonly claimRules: ReturnType<typeof validateClaimRules>['compiled'];
  readonly userRules: ReturnType<typeof validateUserRules>['compiled'];
}

/** The outcome: without errors, all issuers are compiled. */
export interface ValidatedConfiguration {
  readonly issuers: readonly CompiledIssuer[];
  readonly errors: readonly FieldError[];
}

/**
 * Validates a configuration, and compiles its expressions.
 * Upstream: ValidateAuthenticationConfiguration of k8s.io/apiserver/pkg/apis/apiserver/validation
 */
export function validateConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  context: ValidationContext,
): ValidatedConfiguration {
  const configured = jwt ?? [];
  if (configured.length > MAX_ISSUERS) {
    return { issuers: [], errors: [fieldTooMany(JWT, configured.length, MAX_ISSUERS)] };
  }
  const [urls, discoveryUrls] = [new Set<string>(), new Set<string>()];
  const errors: FieldError[] = [];
  const issuers = configured.map((one, index) => {
    const path = JWT.index(index);
    const issuer = path.child('issuer');
    const validated = validateJwt(one, path, context);
    errors.push(...validated.errors);
    const { url = '', discoveryURL = '' } = one.issuer ?? {};
    if (urls.has(url)) errors.push(fieldDuplicate(issuer.child('url'), url));
    urls.add(url);
    if (!discoveryURL) return validated.issuer;
    if (discoveryUrls.has(discoveryURL)) errors.push(fieldDuplicate(issuer.child('discoveryURL'), discoveryURL));
    discoveryUrls.add(discoveryURL);
    return validated.issuer;
  });
  return { issuers, errors: [...errors, ...validateAnonymous(anonymous)] };
}

function validateAnonymous(anonymous: AuthenticationConfiguration['anonymous']): FieldError[] {
  const conditions = anonymous?.conditions ?? [];
  if (!anonymous || anonymous.enabled || conditions.length === 0) return [];
  const path = ANONYMOUS.child('conditions');
  const shown = conditions.map(({ path: value = '' }) => ({ Path: value }));
  return [fieldInvalid(path, shown, 'enabled should be set to true when conditions are defined')];
}

/** The error of a reload that changes anonymous requests. */
export function anonymousChanged(): FieldError {
  return fieldForbidden(ANONYMOUS, 'changed from initial configuration file');
}

function validateJwt(configuration: JwtConfiguration, path: FieldPath, context: ValidationContext) {
  const { issuer = {}, claimValidationRules, claimMappings = {}, userValidationRules } = configuration;
  const { compiler } = context;
  const state: ValidationState = { compiler, readsEmail: false, readsEmailVerified: false };
  const issuerErrors = validateIssuer(issuer, path.child('issuer'), context);
  const claimRules = validateClaimRules(claimValidationRules ?? [], path.child('claimValidationRules'), state);
  const mappings = validateClaimMappings(claimMappings, path.child('claimMappings'), state);
  const userRules = validateUserRules(userValidationRules ?? [], path.child('userValidationRules'), state);
  const compiled: CompiledIssuer = {
    configuration,
    mappings: mappings.compiled,
    claimRules: claimRules.compiled,
    userRules: userRules.compiled,
  };
  const errors = [...issuerErrors, ...claimRules.errors, ...mappings.errors, ...userRules.errors];
  return { issuer: compiled, errors };
}
