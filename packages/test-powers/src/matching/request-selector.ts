import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { compilePattern, type TextPattern } from './text-pattern.js';

/** Selects requests. Every field that is given must match; without any, all requests do. */
export interface RequestSelector {
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method in
   * lower case.
   */
  readonly verb?: TextPattern;
  /** `pods`, `pods/status`, `pods/*` for all subresources, `*`. */
  readonly resource?: TextPattern;
  /** Empty for the core group. */
  readonly group?: TextPattern;
  readonly version?: TextPattern;
  /** Empty for requests of the whole cluster. */
  readonly namespace?: TextPattern;
  readonly name?: TextPattern;
  readonly user?: TextPattern;
  /** Without the query. */
  readonly path?: TextPattern;
}

/** The fields that a selector compares. */
export interface SelectedRequest {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly path: string;
}

type Field = Exclude<keyof SelectedRequest, 'subresource'>;

/** Cheap fields first; the name of a created object may have to be decoded. */
const readers: Readonly<Record<Field, (request: SelectedRequest) => string>> = {
  verb: ({ verb }) => verb,
  resource: ({ resource, subresource }) => (subresource === '' ? resource : `${resource}/${subresource}`),
  group: ({ group }) => group,
  version: ({ version }) => version,
  namespace: ({ namespace }) => namespace,
  user: ({ user }) => user,
  path: ({ path }) => path,
  name: ({ name }) => name,
};

/** Compiles a selector. */
export function compileSelector(selector: RequestSelector): (request: SelectedRequest) => boolean {
  const tests = fieldsOf(selector).map(([field, pattern]) => {
    const matches = compilePattern(pattern);
    const read = readers[field];
    return (request: SelectedRequest) => matches(read(request));
  });
  return (request) => tests.every((test) => test(request));
}

function fieldsOf(selector: RequestSelector): readonly (readonly [Field, TextPattern])[] {
  const fields = Object.keys(readers).filter(isField);
  return fields.flatMap((field) => {
    const pattern = selector[field];
    return pattern === undefined ? [] : [[field, pattern] as const];
  });
}

function isField(name: string): name is Field {
  return Object.hasOwn(readers, name);
}

/** The request as selectors compare it. `info` is undefined if no filter has understood the path. */
export function selectedRequest(info: RequestInfo | undefined, user: string, path: string): SelectedRequest {
  return {
    verb: info?.verb ?? '',
    resource: info?.resource ?? '',
    subresource: info?.subresource ?? '',
    group: info?.apiGroup ?? '',
    version: info?.apiVersion ?? '',
    namespace: info?.namespace ?? '',
    name: info?.name ?? '',
    user,
    path,
  };
}
