import { aggregateMessages } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger, UserInfo } from '@apiserver/apiserver-contracts';
import type { PolicyRule } from '../policy-objects.js';
import { quoteList } from '../quote-list.js';
import type { AuthorizationRuleResolver } from '../resolution/authorization-rule-resolver.js';
import { compactRules, formatRule } from './compact-rules.js';
import { uncoveredRules } from './covers.js';

/** The rules that a user wants to grant, and their namespace. */
export interface EscalationRequest {
  readonly resolver: AuthorizationRuleResolver;
  readonly user: UserInfo;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  readonly logger: Logger;
}

/**
 * The reason why the user may not grant these rules: a text that lists the missing rules, one per line. Undefined if
 * the user has them all.
 * Upstream: ConfirmNoEscalation in pkg/registry/rbac/validation/rule.go
 */
export async function findEscalation(request: EscalationRequest): Promise<string | undefined> {
  const { resolver, user, namespace, rules, logger } = request;
  const owned = await resolver.rulesFor(user, namespace);
  const resolutionErrors = aggregateMessages(owned.errors.map(({ message }) => message));
  if (owned.errors.length > 0) {
    logger.v(1)?.info('Non-fatal error getting local rules', { user: user.name, error: resolutionErrors });
  }
  const missing = uncoveredRules(owned.rules, rules);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactRules(missing).map(formatRule))].sort();
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  return owned.errors.length === 0 ? text : `${text}; resolution errors: [${resolutionErrors}]`;
}
