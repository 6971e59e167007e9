import type { PlaneRequest, RequestFilter } from '@apiserver/test-powers';
import type { ControlPlane } from '../control-plane.js';
import type { ObjectReference } from '../objects/find-object.js';
import { listed, type MatcherResult, membersOf, nameOf, shown } from './matcher.js';

const SHOWN_REQUESTS = 10;

/** Clients have sent such a request to the plane, or this many of them. */
export function toHaveRequested(
  plane: Pick<ControlPlane, 'requests'>,
  filter: RequestFilter = {},
  { times }: { readonly times?: number } = {},
): MatcherResult {
  const { length } = plane.requests(filter);
  const pass = times === undefined ? length > 0 : length === times;
  const wanted = `${pass ? 'not ' : ''}to have been requested ${times === undefined ? '' : `${times} times `}${shown(filter)}`;
  return {
    pass,
    message: () => {
      const all = plane.requests();
      const heading = `expected the plane ${wanted}; it has ${length} of these\nits last requests of ${all.length}`;
      return listed(heading, all.slice(-SHOWN_REQUESTS).map(requestLine));
    },
  };
}

function requestLine({ number, user, verb, path, response, faults }: PlaneRequest): string {
  const strikes = faults.map(({ rule, effect }) => ` [${rule}: ${effect}]`).join('');
  return `${number} ${user} ${verb} ${path} ${response?.status ?? 'under way'}${strikes}`;
}

/** The plane has the object: the very one, if the reference has a UID. */
export async function toExist(object: ObjectReference, plane: Pick<ControlPlane, 'find'>): Promise<MatcherResult> {
  const { pass, found } = await look(object, plane);
  return {
    pass,
    message: () => `expected ${nameOf(object)} ${pass ? 'not to exist' : 'to exist'}${state(object, found)}`,
  };
}

/** The plane does not have the object, or has another one of its name if the reference has a UID. */
export async function toBeGone(object: ObjectReference, plane: Pick<ControlPlane, 'find'>): Promise<MatcherResult> {
  const { pass: exists, found } = await look(object, plane);
  const wanted = exists ? 'to be gone' : 'not to be gone';
  return { pass: !exists, message: () => `expected ${nameOf(object)} ${wanted}${state(object, found)}` };
}

async function look(object: ObjectReference, plane: Pick<ControlPlane, 'find'>) {
  const found = await plane.find(object);
  const uid = membersOf(object.metadata)['uid'];
  return { found, pass: found !== undefined && (uid === undefined || found.metadata.uid === uid) };
}

/** The reason why an object is still there, or is not the expected one. */
function state(object: ObjectReference, found: object | undefined): string {
  const uid = membersOf(object.metadata)['uid'];
  const metadata = membersOf(membersOf(found)['metadata']);
  if (found === undefined) return ', but the plane has none of that name';
  if (uid !== undefined && metadata['uid'] !== uid) return `, but another one has its name (UID ${metadata['uid']})`;
  if (metadata['deletionTimestamp'] === undefined) return ', but it exists and is not being deleted';
  return `, but it waits for its finalizers ${shown(metadata['finalizers'] ?? [])}`;
}
