import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { ClusterRoleBinding, RoleBinding } from '../policy-objects.js';
import { BindingMatch } from './binding-match.js';
import { type SubjectKey, subjectKey } from './subject-key.js';

/** Matches of one user or group name, sorted by the binding's name. */
type MatchList = BindingMatch[];

/**
 * The bindings of one namespace, or all ClusterRoleBindings, indexed by subject. The cost of a lookup depends only on
 * the user's own bindings. Updated one binding at a time.
 *
 * A user's bindings are visited by name. (Upstream iterates over a Go map, in random order.) A binding with several
 * matching subjects is visited once, with the first of them, as upstream.
 */
export class BindingIndex {
  /** The keys of a binding's matches, by its name. */
  readonly #keys = new Map<string, readonly SubjectKey[]>();
  readonly #users = new Map<string, MatchList>();
  readonly #groups = new Map<string, MatchList>();

  get size(): number {
    return this.#keys.size;
  }

  /** Adds a binding, or replaces the one with its name. */
  set(binding: ClusterRoleBinding | RoleBinding): void {
    const name = binding.metadata.name ?? '';
    this.delete(name);
    const keys: SubjectKey[] = [];
    for (const [subjectIndex, subject] of (binding.subjects ?? []).entries()) {
      const key = subjectKey(subject, binding.metadata.namespace ?? '');
      if (key !== undefined && this.#insert(key, new BindingMatch(binding, subjectIndex))) keys.push(key);
    }
    this.#keys.set(name, keys);
  }

  /** Removes the binding with that name, if it exists. */
  delete(name: string): void {
    for (const key of this.#keys.get(name) ?? []) {
      const lists = this.#lists(key);
      const list = lists.get(key.name);
      if (list === undefined) continue;
      list.splice(positionOf(list, name), 1);
      if (list.length === 0) lists.delete(key.name);
    }
    this.#keys.delete(name);
  }

  /**
   * Calls `visitor` with every match of the user until it returns false. Returns whether all matches were visited. With
   * `after`, matches up to the binding of that name are left out.
   */
  visit(user: UserInfo, visitor: (match: BindingMatch) => boolean, after?: string): boolean {
    const lists = this.#listsOf(user);
    const startOf = (list: MatchList) => (after === undefined ? 0 : positionBehind(list, after));
    const [only] = lists;
    if (lists.length !== 1 || only === undefined) return visitMerged(lists, lists.map(startOf), visitor);
    for (let position = startOf(only); position < only.length; position++) {
      const match = only[position];
      if (match !== undefined && !visitor(match)) return false;
    }
    return true;
  }

  #lists(key: SubjectKey): Map<string, MatchList> {
    return key.kind === 'user' ? this.#users : this.#groups;
  }

  /** False if an earlier subject of the same binding has the same key. */
  #insert(key: SubjectKey, match: BindingMatch): boolean {
    const lists = this.#lists(key);
    const list = lists.get(key.name);
    if (list === undefined) {
      lists.set(key.name, [match]);
      return true;
    }
    const position = positionOf(list, match.name);
    if (list[position]?.name === match.name) return false;
    list.splice(position, 0, match);
    return true;
  }

  #listsOf(user: UserInfo): MatchList[] {
    const lists: MatchList[] = [];
    const own = this.#users.get(user.name);
    if (own !== undefined) lists.push(own);
    for (const group of user.groups) {
      const list = this.#groups.get(group);
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }
}

/** The position of the binding's match, or the position to insert it at. */
function positionOf(list: MatchList, name: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function positionBehind(list: MatchList, name: string): number {
  const position = positionOf(list, name);
  return list[position]?.name === name ? position + 1 : position;
}

/** Visits the lists from the cursors on, which it advances. */
function visitMerged(
  lists: readonly MatchList[],
  cursors: number[],
  visitor: (match: BindingMatch) => boolean,
): boolean {
  for (;;) {
    const next = takeNext(lists, cursors);
    if (next === undefined) return true;
    if (!visitor(next)) return false;
  }
}

/** The next binding of all lists, with its first subject. Advances every list that has this binding. */
function takeNext(lists: readonly MatchList[], cursors: number[]): BindingMatch | undefined {
  let next: BindingMatch | undefined;
  for (let index = 0; index < lists.length; index++) {
    const candidate = lists[index]?.[cursors[index] ?? 0];
    if (candidate !== undefined && (next === undefined || isBefore(candidate, next))) next = candidate;
  }
  for (let index = 0; index < lists.length; index++) {
    const cursor = cursors[index] ?? 0;
    if (lists[index]?.[cursor]?.binding === next?.binding) cursors[index] = cursor + 1;
  }
  return next;
}

function isBefore(a: BindingMatch, b: BindingMatch): boolean {
  return a.binding === b.binding ? a.subjectIndex < b.subjectIndex : a.name < b.name;
}
