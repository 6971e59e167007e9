import { listed, listOf, type MatcherResult, membersOf, nameOf, shown } from './matcher.js';

/** Further fields of a condition. */
export interface ConditionDetails {
  readonly reason?: string;
  /** A part of the message. */
  readonly message?: string;
}

/** `status.conditions` has a condition of the type, with the status (default: any) and details. */
export function toHaveCondition(
  object: unknown,
  type: string,
  status?: 'True' | 'False' | 'Unknown',
  details: ConditionDetails = {},
): MatcherResult {
  const conditions = listOf(membersOf(membersOf(object)['status'])['conditions']).map(membersOf);
  const pass = conditions.some(
    (condition) =>
      condition['type'] === type &&
      (status === undefined || condition['status'] === status) &&
      (details.reason === undefined || condition['reason'] === details.reason) &&
      String(condition['message'] ?? '').includes(details.message ?? ''),
  );
  const wanted = [`${type}${status === undefined ? '' : `=${status}`}`, ...Object.values(details).map(shown)].join(' ');
  const lines = conditions.map(
    (each) => `${each['type']}=${each['status']} ${each['reason'] ?? ''}: ${each['message'] ?? ''}`,
  );
  return {
    pass,
    message: () =>
      listed(`expected ${nameOf(object)} ${not(pass)}to have the condition ${wanted}\nits conditions`, lines),
  };
}

/**
 * An owner reference names the owner, by its UID if it has one. `controller`: it must be the controller, or must not.
 */
export function toBeOwnedBy(
  object: unknown,
  owner: unknown,
  { controller }: { readonly controller?: boolean } = {},
): MatcherResult {
  const { apiVersion, kind, metadata } = membersOf(owner);
  const { name, uid } = membersOf(metadata);
  const references = listOf(membersOf(membersOf(object)['metadata'])['ownerReferences']).map(membersOf);
  const pass = references.some(
    (reference) =>
      (apiVersion === undefined || reference['apiVersion'] === apiVersion) &&
      (kind === undefined || reference['kind'] === kind) &&
      reference['name'] === name &&
      (uid === undefined || reference['uid'] === uid) &&
      (controller === undefined || (reference['controller'] === true) === controller),
  );
  const how = controller === undefined ? 'owned' : controller ? 'controlled' : 'owned, but not controlled,';
  const wanted = `${not(pass)}to be ${how} by ${nameOf(owner)}${uid === undefined ? '' : ` (UID ${uid})`}`;
  const lines = references.map(
    (each) =>
      `${each['kind']} ${each['name']} (UID ${each['uid']}${each['controller'] === true ? ', controller' : ''})`,
  );
  return { pass, message: () => listed(`expected ${nameOf(object)} ${wanted}\nits owners`, lines) };
}

/** `metadata.finalizers` has the finalizer. */
export function toHaveFinalizer(object: unknown, finalizer: string): MatcherResult {
  const finalizers = listOf(membersOf(membersOf(object)['metadata'])['finalizers']).map(String);
  const pass = finalizers.includes(finalizer);
  const wanted = `${not(pass)}to have the finalizer ${finalizer}`;
  return { pass, message: () => listed(`expected ${nameOf(object)} ${wanted}\nits finalizers`, finalizers) };
}

function not(pass: boolean): string {
  return pass ? 'not ' : '';
}
