import { quote } from '@apiserver/apimachinery/text';
import { type Authorizer, type RuleResolver, wellKnownGroups } from '@apiserver/apiserver-contracts';
import { alwaysAllow, alwaysDeny } from './always.js';
import { privilegedGroupsAuthorizer } from './privileged-groups.js';
import { unionAuthorizer } from './union.js';
import { unionRuleResolver } from './union-rule-resolver.js';

/** Every mode that `--authorization-mode` knows upstream. Upstream: pkg/kubeapiserver/authorizer/modes */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;

/** What `--authorization-mode` can name. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Makes the authorizer of one mode. Modes that need a store or a file are handed in by who has those. */
export type AuthorizerFactories = Readonly<Partial<Record<AuthorizationMode, () => Authorizer & RuleResolver>>>;

const builtIn: AuthorizerFactories = { AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny };

/**
 * What is wrong with a list of modes, in upstream's words; empty when nothing is. A mode that upstream has and nobody
 * here makes yet is refused too: silently leaving it out would open or close the server. `handedIn` are the modes that
 * there will be factories for.
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

/** Who decides in a server, and who lists what somebody may do. */
export interface ServerAuthorization {
  readonly authorizer: Authorizer;
  readonly ruleResolver: RuleResolver;
}

/**
 * The authorizer of a server: members of system:masters may do everything, then the modes are asked in order. What is
 * listed comes from the modes alone. Throws when the modes are not valid; ask `validateAuthorizationModes` first.
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
