import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { ParseError } from '@apiserver/apimachinery/text';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import type { ApiRequest, RequestInfo } from '@apiserver/apiserver-contracts';
import { booleanValue, integerValue } from './options/query-values.js';

/** The parts of a request that decide its RequestInfo: an ApiRequest has them. */
export type RequestInfoInput = Pick<ApiRequest, 'method' | 'url' | 'path' | 'rawQuery' | 'query'>;

/** The first segment of paths of the core group: `/api/v1/pods`. */
const GROUPLESS_PREFIX = 'api';
/** The first segment of paths of all other groups: `/apis/apps/v1/deployments`. */
const GROUPED_PREFIX = 'apis';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const SPECIAL_VERBS: ReadonlySet<string> = new Set(['proxy', 'watch']);
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);
const VERBS_WITH_SELECTORS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);
const verbsByMethod: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/**
 * Determines the RequestInfo of a request, regardless of installed resources. Throws a ParseError for `/watch` or
 * `/proxy` prefixes without a rest.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go (RequestInfoFactory)
 */
export function resolveRequestInfo(request: RequestInfoInput): RequestInfo {
  const info = nonResourceInfo(request);
  const segments = splitPath(request.path);
  const prefix = segments[0];
  if (segments.length < 3 || (prefix !== GROUPLESS_PREFIX && prefix !== GROUPED_PREFIX)) return info;
  info.apiPrefix = prefix;
  let at = 1;
  if (prefix === GROUPED_PREFIX) {
    // The group is only set if a resource follows the version, as upstream.
    if (segments.length < 4) return info;
    info.apiGroup = segments[at++] ?? '';
  }
  info.isResourceRequest = true;
  info.apiVersion = segments[at++] ?? '';
  readResource(info, segments.slice(at), request);
  return info;
}

/** Number of parsed segments. No route has more; proxies use the unparsed rest of a path. */
export const MAX_SEGMENTS = 1_000;

/**
 * The first segments of a path. Leading and trailing slashes are ignored; repeated ones inside yield empty segments.
 */
export function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  const segments: string[] = [];
  if (start === end) return segments;
  // V8 runs `split` with a limit outside of compiled code.
  while (segments.length < MAX_SEGMENTS) {
    const slash = path.indexOf('/', start);
    if (slash === -1 || slash >= end) {
      segments.push(path.slice(start, end));
      break;
    }
    segments.push(path.slice(start, slash));
    start = slash + 1;
  }
  return segments;
}

function nonResourceInfo(request: RequestInfoInput): Mutable<RequestInfo> {
  return {
    isResourceRequest: false,
    path: request.path,
    verb: request.method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
}

function readResource(info: Mutable<RequestInfo>, behindVersion: string[], request: RequestInfoInput): void {
  let parts = behindVersion;
  const verbInPath = SPECIAL_VERBS.has(parts[0] ?? '');
  if (verbInPath) {
    if (parts.length < 2) throw new ParseError(`unable to determine kind and namespace from url, ${request.url}`);
    info.verb = parts[0] ?? '';
    parts = parts.slice(1);
  } else {
    info.verb = verbsByMethod.get(request.method) ?? '';
  }
  if (parts[0] === 'namespaces' && parts[1] !== undefined) {
    info.namespace = parts[1];
    if (parts[2] !== undefined && !NAMESPACE_SUBRESOURCES.has(parts[2])) parts = parts.slice(2);
  }
  info.parts = parts;
  info.resource = parts[0] ?? '';
  info.name = parts[1] ?? '';
  if (info.verb !== 'proxy') info.subresource = parts[2] ?? '';
  refineCollectionVerb(info, request);
  if (!verbInPath && VERBS_WITH_SELECTORS.has(info.verb)) readSelectors(info, request);
}

/** A get or delete without a name is about a collection. */
function refineCollectionVerb(info: Mutable<RequestInfo>, request: RequestInfoInput): void {
  if (info.name !== '') return;
  if (info.verb === 'delete') info.verb = 'deletecollection';
  if (info.verb !== 'get') return;
  info.verb = 'list';
  if (request.rawQuery === '') return;
  if (booleanValue(request.query, 'watch')) info.verb = 'watch';
  info.name = selectedName(request.query) ?? '';
}

/**
 * Maximum size in UTF-16 units of selectors that are searched for a name, because the sender is not yet authenticated.
 */
const MAX_SELECTORS = 64 * 1024;

/**
 * The only name that the field selector can match. None if the list options are invalid: the handler reports their
 * errors.
 */
function selectedName(query: URLSearchParams): string | undefined {
  const fieldSelector = query.get('fieldSelector');
  const labelSelector = query.get('labelSelector') ?? '';
  if (fieldSelector === null || fieldSelector.length + labelSelector.length > MAX_SELECTORS) return undefined;
  try {
    integerValue(query, 'timeoutSeconds');
    integerValue(query, 'limit');
    parseLabelSelector(labelSelector);
    const name = parseFieldSelector(fieldSelector).requiresExactMatch('metadata.name');
    return name !== undefined && validatePathSegmentName(name).length === 0 ? name : undefined;
  } catch {
    return undefined;
  }
}

function readSelectors(info: Mutable<RequestInfo>, request: RequestInfoInput): void {
  if (request.rawQuery === '') return;
  info.fieldSelector = request.query.get('fieldSelector') ?? '';
  info.labelSelector = request.query.get('labelSelector') ?? '';
}
