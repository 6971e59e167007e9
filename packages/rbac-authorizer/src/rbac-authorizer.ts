import { aggregateMessages } from '@apiserver/apimachinery/field';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Logger,
  RuleResolver,
} from '@apiserver/apiserver-contracts';
import { AuthorizingVisitor } from './authorizing-visitor.js';
import { denialText } from './denial-text.js';
import { GroupedRoles } from './grouped-roles.js';
import { listRules } from './list-rules.js';
import type { BindingMatch } from './resolution/binding-match.js';
import type { PolicyIndex } from './resolution/policy-index.js';
import { ruleAttributes } from './rule-allows.js';

const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Decides by roles and bindings; never denies. Synchronous, unless the user has very many rules. */
export interface RbacAuthorizer extends Authorizer, RuleResolver {}

/**
 * Allows a request that a rule of the user's roles allows, and names the binding; otherwise has no opinion. Lookup
 * failures (such as a missing role) become the reason then, never an error, because rules only add permissions.
 * Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go
 */
export function rbacAuthorizer(index: PolicyIndex, logger: Logger): RbacAuthorizer {
  const roles = new GroupedRoles();
  const decide = (visitor: AuthorizingVisitor, attributes: AuthorizationAttributes): AuthorizationResult => {
    const { allowedBy, errors } = visitor;
    if (allowedBy !== undefined) return { decision: 'Allow', reason: `RBAC: allowed by ${allowedBy}` };
    logger.v(5)?.info(denialText(attributes));
    return errors.length === 0 ? noOpinion : { decision: 'NoOpinion', reason: `RBAC: ${aggregateMessages(errors)}` };
  };
  const visit = (visitor: AuthorizingVisitor, { user, namespace }: AuthorizationAttributes, after?: BindingMatch) =>
    index.visitRulesFor(user, namespace, visitor, after);
  const decideLater = async (visitor: AuthorizingVisitor, attributes: AuthorizationAttributes) => {
    while (visitor.isPaused) visit(visitor, attributes, await visitor.nextSlice());
    return decide(visitor, attributes);
  };
  return {
    authorize(attributes) {
      const visitor = new AuthorizingVisitor(ruleAttributes(attributes), roles);
      visit(visitor, attributes);
      return visitor.isPaused ? decideLater(visitor, attributes) : decide(visitor, attributes);
    },
    rulesFor: async (user, namespace) => listRules(index, user, namespace),
  };
}
