import { newNotAcceptable, type StatusError } from '@apiserver/apimachinery/errors';
import { tryParseBool } from '@apiserver/apimachinery/text';
import type { ApiRequest } from '@apiserver/apiserver-contracts';
import type { MediaType } from './media-types.js';
import { type AcceptClause, parseAccept } from './parse-accept.js';

/** The `as`, `v` and `g` parameters of a media type: the kind to which the response is converted. */
export interface TransformTarget {
  readonly kind: string;
  readonly version: string;
  readonly group: string;
  /** The `profile` parameter, which only discovery reads. */
  readonly profile?: string | undefined;
}

/** The negotiated form of a response. */
export interface OutputMediaType<M extends string = MediaType> {
  readonly mediaType: M;
  /** Undefined: the object as it is. */
  readonly transform: TransformTarget | undefined;
  /** True if a media type parameter requests it. `isPretty` also reads the rest of the request. */
  readonly pretty: boolean;
}

/** The response forms that an endpoint supports besides its plain encodings. */
export interface OutputRestrictions<M extends string = MediaType> {
  /** Reports whether responses can be converted to `target` (undefined: unchanged) in this encoding. */
  allowsTransform(mediaType: M, target: TransformTarget | undefined): boolean;
  /** Reports whether the `sv` parameter may name this version. */
  allowsServerVersion(version: string): boolean;
}

/** For responses that are never converted: errors, discovery. */
export const plainOutputOnly: OutputRestrictions = {
  allowsTransform: (_mediaType, target) => target === undefined,
  allowsServerVersion: () => false,
};

/**
 * Selects the encoding of a response by the Accept header; undefined if none matches.
 *
 * Upstream: NegotiateMediaTypeOptions in k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
 */
export function negotiateOutput<M extends string = MediaType>(
  accept: string | undefined,
  supported: readonly M[],
  restrictions: OutputRestrictions<M>,
): OutputMediaType<M> | undefined {
  const first = supported[0];
  if (first === undefined) return undefined;
  if (accept === undefined || accept === '') return { mediaType: first, transform: undefined, pretty: false };
  for (const clause of parseAccept(accept)) {
    for (const mediaType of supported) {
      const output = matches(clause, mediaType) ? outputOf(clause, mediaType, restrictions) : undefined;
      if (output !== undefined) return output;
    }
  }
  return undefined;
}

function matches(clause: AcceptClause, mediaType: string): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  const { type, subtype } = clause;
  if (mediaType[type.length] !== '/' || !mediaType.startsWith(type)) return false;
  return subtype === '*' || (mediaType.length === type.length + 1 + subtype.length && mediaType.endsWith(subtype));
}

function outputOf<M extends string>(
  { params }: AcceptClause,
  mediaType: M,
  restrictions: OutputRestrictions<M>,
): OutputMediaType<M> | undefined {
  const stream = params.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || mediaType === 'application/yaml')) return undefined;
  const serverVersion = params.get('sv') ?? '';
  if (serverVersion !== '' && !restrictions.allowsServerVersion(serverVersion)) return undefined;
  const transform = transformOf(params);
  if (!restrictions.allowsTransform(mediaType, transform)) return undefined;
  return { mediaType, transform, pretty: params.get('pretty') === '1' };
}

function transformOf(params: ReadonlyMap<string, string>): TransformTarget | undefined {
  if (!params.has('as') && !params.has('v') && !params.has('g')) return undefined;
  const profile = params.get('profile');
  const target = { kind: params.get('as') ?? '', version: params.get('v') ?? '', group: params.get('g') ?? '' };
  return profile === undefined ? target : { ...target, profile };
}

/** The 406 of a handler without an acceptable form. The message lists `supported`. */
export function notAcceptable(supported: readonly string[]): StatusError {
  return newNotAcceptable(`only the following media types are accepted: ${supported.join(', ')}`);
}

/**
 * Reports whether the response is indented: by the `pretty` parameter, or for clients such as curl and browsers.
 *
 * Upstream: isPrettyPrint in k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
 */
export function isPretty(request: Pick<ApiRequest, 'rawQuery' | 'query' | 'headers'>): boolean {
  if (request.rawQuery.includes('pretty')) {
    const pretty = request.query.get('pretty') ?? '';
    if (pretty !== '') return tryParseBool(pretty) === true;
  }
  const userAgent = request.headers.get('user-agent');
  return userAgent !== undefined && peoplesAgents.some((agent) => userAgent.startsWith(agent));
}

const peoplesAgents = ['curl', 'Wget', 'Mozilla/5.0'];
