import { DeleteOptions as deleteOptionsSchema } from '@apiserver/api/meta/v1';
import {
  compileKind,
  type DeleteOptions,
  defineKind,
  isDecodeError,
  type KindCodec,
  newInvalid,
  type Preconditions,
  quote,
  validateDeleteOptions,
} from '@apiserver/apimachinery';
import type { ApiRequest, Exchange } from '@apiserver/apiserver-contracts';
import { builtInMediaTypes, type MediaType } from '../negotiation/media-types.js';
import { negotiateInput } from '../negotiation/negotiate-input.js';
import { plainFailure } from '../responses/plain-failure.js';
import { booleanValue, integerValue, listValue, present, textValue } from './query-values.js';

/** As decoded: what the body leaves out is not there. */
type DeleteOptionsObject = DeleteOptions & { readonly apiVersion?: string; readonly kind?: string };

/**
 * The options of a delete or deletecollection: from the body when there is one, else from the query.
 * Throws a 415, 413, 400 or 422 as upstream.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go
 */
export async function readDeleteOptions({ request }: Exchange, maxBodyBytes: number): Promise<DeleteOptions> {
  const options = request.inProcess ? inProcessOptions(request) : await sentOptions(request, maxBodyBytes);
  const errors = validateDeleteOptions(options);
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return options;
}

async function sentOptions(request: ApiRequest, maxBodyBytes: number): Promise<DeleteOptions> {
  const body = await request.readBody(maxBodyBytes);
  if (body.length === 0) return decodeQuery(request.query);
  return decodeBody(body, negotiateInput(request.headers.get('content-type'), builtInMediaTypes));
}

/** Callers in this process hand over an object; what does not belong to the options is left behind. */
function inProcessOptions({ inProcess, query }: ApiRequest): DeleteOptions {
  if (inProcess?.body === undefined) return decodeQuery(query);
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...options } = inProcess.body;
  return options;
}

function decodeQuery(query: URLSearchParams): DeleteOptions {
  return present<DeleteOptions>({
    gracePeriodSeconds: integerValue(query, 'gracePeriodSeconds'),
    preconditions: queryPreconditions(query),
    orphanDependents: booleanValue(query, 'orphanDependents'),
    propagationPolicy: textValue(query, 'propagationPolicy'),
    dryRun: listValue(query, 'dryRun'),
    ignoreStoreReadErrorWithClusterBreakingPotential: booleanValue(
      query,
      'ignoreStoreReadErrorWithClusterBreakingPotential',
    ),
  });
}

function queryPreconditions(query: URLSearchParams): Preconditions | undefined {
  const uid = query.get('uid') ?? '';
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (uid === '' && resourceVersion === '') return undefined;
  return { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) };
}

let codec: KindCodec<DeleteOptionsObject> | undefined;

/** What does not decode is no 400: upstream passes the decoder's error on as it is. */
function decodeBody(body: Uint8Array, mediaType: MediaType): DeleteOptions {
  codec ??= compileKind(defineKind<DeleteOptionsObject>(['meta.k8s.io', 'v1', 'DeleteOptions'], deleteOptionsSchema));
  const { apiVersion, kind, ...options } = decodeWith(codec, body, mediaType);
  // Any apiVersion will do: every group has DeleteOptions.
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw plainFailure(500, `no kind ${quote(kind)} is registered for version ${quote(apiVersion ?? '')}`);
  }
  return options;
}

function decodeWith(
  decoder: KindCodec<DeleteOptionsObject>,
  body: Uint8Array,
  mediaType: MediaType,
): DeleteOptionsObject {
  try {
    if (mediaType === 'application/json') return decoder.decodeJson(body, 'Ignore').object;
    if (mediaType === 'application/yaml') return decoder.decodeYaml(body, 'Ignore').object;
    return decoder.decodeProtobuf(body).object;
  } catch (error) {
    throw isDecodeError(error) ? plainFailure(500, error.message) : error;
  }
}
