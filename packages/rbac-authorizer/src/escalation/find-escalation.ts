import { inSlices } from '@apiserver/apimachinery/clock';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger, UserInfo } from '@apiserver/apiserver-contracts';
import type { PolicyRule } from '../policy-objects.js';
import { quoteList } from '../quote-list.js';
import type { AuthorizationRuleResolver } from '../resolution/authorization-rule-resolver.js';
import { compactRules, formatRule } from './compact-rules.js';
import { findUncovered, type Uncovered } from './covers.js';

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
  const uncovered = await inSlices(findUncovered(owned.rules, rules));
  if (uncovered.missing.length + uncovered.unchecked.length === 0) return undefined;
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const lines = missingLines(uncovered).join('\n');
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines}`;
  return owned.errors.length === 0 ? text : `${text}; resolution errors: [${resolutionErrors}]`;
}

/** Bounds of the text, which can repeat a long name for each group. Upstream has none. */
const MAX_LINES = 1_000;
const MAX_TEXT = 256 * 1_024;
const UNCHECKED = 'and rules that stand for too many permissions to be checked';

/** Sorted as upstream. */
function missingLines({ missing, unchecked }: Uncovered): string[] {
  const lines = new Set<string>();
  let [size, further] = [0, 0];
  for (const rule of compactRules(missing)) {
    if (lines.size >= MAX_LINES || size >= MAX_TEXT) further++;
    else {
      const line = formatRule(rule);
      lines.add(line);
      size += line.length;
    }
  }
  const notes = [...(further > 0 ? [`and ${further} more`] : []), ...(unchecked.length > 0 ? [UNCHECKED] : [])];
  return [...[...lines].sort(), ...notes];
}
