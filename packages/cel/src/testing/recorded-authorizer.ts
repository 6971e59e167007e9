import type {
  AuthorizationCheck,
  CheckDecision,
  CheckedResource,
  CheckedSelector,
} from '../libraries/authorizer/decisions.js';

/** The authorizer of an input: the first rule whose fields all equal those of the check decides. */
export interface RecordedAuthorizer {
  readonly user: string;
  readonly request: RecordedResource;
  readonly rules: readonly (RecordedRule & RecordedFields)[];
}

interface RecordedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

interface RecordedRule {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  readonly error?: string;
}

type RecordedFields = Partial<
  Record<'user' | 'verb' | 'path' | 'apiGroup' | 'resource' | 'subresource' | 'namespace' | 'name', string>
>;

/** The recorded decision about a check. Without a rule, its reason spells out the check. */
export function recordedDecision({ rules, user }: RecordedAuthorizer, check: AuthorizationCheck): CheckDecision {
  const asked = fieldsOf(check, user);
  const askedFields = new Map<string, unknown>(Object.entries(asked));
  const rule = rules.find(({ decision: _decision, reason: _reason, error: _error, ...fields }) =>
    Object.entries(fields).every(([name, value]) => value === '' || askedFields.get(name) === value),
  );
  if (rule === undefined) return { allowed: false, reason: describe(check, asked), error: undefined };
  return { allowed: rule.decision === 'allow', reason: rule.reason, error: rule.error };
}

function fieldsOf(
  { serviceAccount: account, verb, target }: AuthorizationCheck,
  user: string,
): Required<RecordedFields> {
  const name = account === undefined ? user : `system:serviceaccount:${account.namespace}:${account.name}`;
  const none = { apiGroup: '', resource: '', subresource: '', namespace: '', name: '' };
  if ('path' in target) return { ...none, user: name, verb, path: target.path };
  return { ...target, apiGroup: target.group, user: name, verb, path: '' };
}

function describe({ serviceAccount, target }: AuthorizationCheck, asked: Required<RecordedFields>): string {
  const resource: Partial<CheckedResource> = 'path' in target ? {} : target;
  const groups =
    serviceAccount === undefined
      ? 'system:authenticated'
      : `system:serviceaccounts,system:serviceaccounts:${serviceAccount.namespace}`;
  return [
    `user=${asked.user} groups=${groups} verb=${asked.verb} group=${asked.apiGroup}`,
    `resource=${asked.resource}/${asked.subresource} ns=${asked.namespace} name=${asked.name} path=${asked.path}`,
    `fs=${selectorText(resource.fieldSelector)} ls=${selectorText(resource.labelSelector)}`,
  ].join(' ');
}

function selectorText(selector: CheckedSelector<{ toString(): string }> | undefined): string {
  if (selector === undefined) return '';
  return 'error' in selector ? `!${selector.error}` : selector.selector.toString();
}
