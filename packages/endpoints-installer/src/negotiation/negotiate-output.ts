import { newNotAcceptable, type StatusError } from '@apiserver/apimachinery/errors';
import type { ApiRequest } from '@apiserver/apiserver-contracts';
import type { MediaType } from './media-types.js';
import { type AcceptClause, parseAccept } from './parse-accept.js';

/** The `as`, `v` and `g` parameters of a media type: another kind that the answer is to be turned into. */
export interface TransformTarget {
  readonly kind: string;
  readonly version: string;
  readonly group: string;
}

/** What the answer is to be encoded as. */
export interface OutputMediaType {
  readonly mediaType: MediaType;
  /** Undefined: the object as it is. */
  readonly transform: TransformTarget | undefined;
  /** Asked for by a media type parameter; `isPretty` looks at the rest of the request too. */
  readonly pretty: boolean;
}

/** What an endpoint is ready to answer beyond its plain encodings. */
export interface OutputRestrictions {
  /** Whether answers can be turned into `target` (undefined: left as they are) in this encoding. */
  allowsTransform(mediaType: MediaType, target: TransformTarget | undefined): boolean;
  /** Whether the `sv` parameter may name this version. */
  allowsServerVersion(version: string): boolean;
}

/** For answers that are never transformed: errors, discovery. */
export const plainOutputOnly: OutputRestrictions = {
  allowsTransform: (_mediaType, target) => target === undefined,
  allowsServerVersion: () => false,
};

/**
 * Picks the encoding of an answer from the Accept header, or undefined when nothing fits.
 *
 * Upstream: NegotiateMediaTypeOptions in k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
 */
export function negotiateOutput(
  accept: string | undefined,
  supported: readonly MediaType[],
  restrictions: OutputRestrictions,
): OutputMediaType | undefined {
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

function matches(clause: AcceptClause, mediaType: MediaType): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  const [type, subtype] = mediaType.split('/');
  return clause.type === type && (clause.subtype === '*' || clause.subtype === subtype);
}

function outputOf(
  { params }: AcceptClause,
  mediaType: MediaType,
  restrictions: OutputRestrictions,
): OutputMediaType | undefined {
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
  return { kind: params.get('as') ?? '', version: params.get('v') ?? '', group: params.get('g') ?? '' };
}

/** The 406 of a handler that cannot answer as asked. `supported` as the message lists them. */
export function notAcceptable(supported: readonly string[]): StatusError {
  return newNotAcceptable(`only the following media types are accepted: ${supported.join(', ')}`);
}

/**
 * Whether the answer is to be indented: the `pretty` parameter decides, else whether a person seems to look.
 *
 * Upstream: isPrettyPrint in k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
 */
export function isPretty(request: Pick<ApiRequest, 'rawQuery' | 'query' | 'headers'>): boolean {
  if (request.rawQuery.includes('pretty')) {
    const pretty = request.query.get('pretty') ?? '';
    if (pretty !== '') return trueTexts.has(pretty);
  }
  const userAgent = request.headers.get('user-agent');
  return userAgent !== undefined && peoplesAgents.some((agent) => userAgent.startsWith(agent));
}

/** What Go's strconv.ParseBool takes for true. */
const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const peoplesAgents = ['curl', 'Wget', 'Mozilla/5.0'];
