import { quote } from '@apiserver/apimachinery/text';
import { type Authorizer, type RuleResolver, wellKnownGroups } from '@apiserver/apiserver-contracts';
import { alwaysAllow, alwaysDeny } from './always.js';
import { privilegedGroupsAuthorizer } from './privileged-groups.js';
import { unionAuthorizer } from './union.js';
import { unionRuleResolver } from './union-rule-resolver.js';

/** Every mode that `--authorization-mode` knows upstream. Upstream: pkg/kubeapiserver/authorizer/modes */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;

/** A value of `--authorization-mode`. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Factories of authorizers by mode. The caller passes those of modes that need a store or a file. */
export type AuthorizerFactories = Readonly<Partial<Record<AuthorizationMode, () => Authorizer & RuleResolver>>>;

const builtIn: AuthorizerFactories = { AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny };

/**
 * The faults of a list of modes, in upstream's words; empty if there are none. A mode that is not implemented is a
 * fault, because ignoring it could open or lock the server. `handedIn` names the modes for which the caller will pass
 * factories.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions.Validate
 */
export function validateAuthorizationModes(
  modes: readonly string[],
  handedIn: readonly AuthorizationMode[] = [],
): string[] {
  if (modes.length === 0) return ['at least one authorization-mode must be passed'];
  const errors: string[] = [];
  for (const mode of modes) {
    if (!isAuthorizationMode(mode)) errors.push(`authorization-mode ${quote(mode)} is not a valid mode`);
    else if (builtIn[mode] === undefined && !handedIn.includes(mode)) {
      errors.push(`authorization-mode ${quote(mode)} is not available in this server yet`);
    }
  }
  if (new Set(modes).size !== modes.length) {
    const quoted = modes.map((mode) => quote(mode)).join(' ');
    errors.push(`authorization-mode [${quoted}] has mode specified more than once`);
  }
  return errors;
}

/** The authorizer of a server, and its resolver of a user's rules. */
export interface ServerAuthorization {
  readonly authorizer: Authorizer;
  readonly ruleResolver: RuleResolver;
}

/**
 * The authorizer of a server: members of system:masters may do everything, then the modes decide in order. Only the
 * modes list rules. Throws if the modes are invalid; call `validateAuthorizationModes` first.
 * Upstream: pkg/kubeapiserver/authorizer.Config.New
 */
export function authorizationFromModes(
  modes: readonly string[],
  factories: AuthorizerFactories = {},
): ServerAuthorization {
  const [error] = validateAuthorizationModes(
    modes,
    authorizationModes.filter((mode) => mode in factories),
  );
  if (error !== undefined) throw new Error(error);
  const made = modes
    .flatMap((mode) => (isAuthorizationMode(mode) ? [(factories[mode] ?? builtIn[mode])?.()] : []))
    .filter((authorizer) => authorizer !== undefined);
  return {
    authorizer: unionAuthorizer([privilegedGroupsAuthorizer([wellKnownGroups.privileged]), ...made]),
    ruleResolver: unionRuleResolver(made),
  };
}

function isAuthorizationMode(mode: string): mode is AuthorizationMode {
  return authorizationModes.some((known) => known === mode);
}
