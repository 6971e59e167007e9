import { DeleteOptions as deleteOptionsSchema } from '@apiserver/api/meta/v1';
import {
  type DeleteOptions,
  formatGroupVersion,
  type GroupResource,
  type Preconditions,
} from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { isDecodeError, newBadRequest, newInvalid } from '@apiserver/apimachinery/errors';
import { defineKind } from '@apiserver/apimachinery/schema';
import { quote, quoteWithBytes } from '@apiserver/apimachinery/text';
import { validateDeleteOptions } from '@apiserver/apimachinery/validation';
import type { ApiRequest, Exchange, RequestContext } from '@apiserver/apiserver-contracts';
import { builtInMediaTypes, withCbor } from '../negotiation/media-types.js';
import { negotiateInput } from '../negotiation/negotiate-input.js';
import { booleanValue, int64Value, listValue, present, textValue } from '../options/query-values.js';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { decodedKind } from '../semantics/stated-kind.js';
import { type OpenedBody, openBody } from './body-kind.js';
import { refuseManyValues } from './body-values.js';
import { inTurns, type YieldToEventLoop, yieldFor } from './event-loop-turns.js';
import { readLargeYaml } from './large-yaml.js';

/** Decoded options, without absent members. */
type DeleteOptionsObject = DeleteOptions & { readonly apiVersion?: string; readonly kind?: string };

/**
 * The options of a delete or deletecollection: from the body if there is one, else from the query. Throws a 415, 413,
 * 400 or 422 as upstream.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go
 */
export async function readDeleteOptions(
  exchange: Exchange,
  { environment, resource }: { readonly environment: DeleteEnvironment; readonly resource: GroupResource },
): Promise<DeleteOptions> {
  const { request, context } = exchange;
  const isOne = context.requestInfo?.verb === 'delete';
  const observe = (bytes: number) =>
    environment.metrics.requestBody(resource, isOne ? 'delete' : 'delete_collection', bytes);
  const requested = request.inProcess ? inProcessOptions(request) : await sentOptions(exchange, environment, observe);
  const options = environment.unsafeDeletion ? requested : withoutUnsafe(requested);
  const errors = validateDeleteOptions(options);
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return options;
}

/** The allowed size and formats of a body. */
type BodyLimits = Pick<HandlerEnvironment, 'maxRequestBodyBytes' | 'cbor' | 'parseLargeYaml'>;
type DeleteEnvironment = BodyLimits & Pick<HandlerEnvironment, 'unsafeDeletion' | 'metrics'>;

function withoutUnsafe({
  ignoreStoreReadErrorWithClusterBreakingPotential: _unheard,
  ...options
}: DeleteOptions): DeleteOptions {
  return options;
}

async function sentOptions(
  exchange: Exchange,
  environment: BodyLimits,
  observe: (bytes: number) => void,
): Promise<DeleteOptions> {
  const { request } = exchange;
  const { cbor } = environment;
  const body = await request.readBody(environment.maxRequestBodyBytes);
  const { span, requestInfo } = exchange.context;
  observe(body.length);
  span?.addEvent('limitedReadBody succeeded', { len: body.length });
  if (body.length === 0) return decodeQuery(request.query);
  const mediaType = negotiateInput(request.headers.get('content-type'), withCbor(builtInMediaTypes, cbor));
  const yieldToEventLoop = yieldFor(body, mediaType);
  if (yieldToEventLoop !== undefined) {
    refuseManyValues(body, mediaType);
    await yieldToEventLoop();
  }
  const readYaml = mediaType === 'application/yaml' ? await readLargeYaml(environment, exchange, body) : undefined;
  const context = exchange.context;
  const options = await decodeBody(context, { yieldToEventLoop, body }, () =>
    openBody(body, mediaType, cbor, readYaml),
  );
  if (requestInfo?.verb === 'delete') {
    span?.addEvent('Decoded delete options');
    span?.addEvent('Recorded the audit event');
  }
  return options;
}

/** In-process callers pass an object; members that are not options are dropped. */
function inProcessOptions({ inProcess, query }: ApiRequest): DeleteOptions {
  if (inProcess?.body === undefined) return decodeQuery(query);
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...options } = inProcess.body;
  return options;
}

function decodeQuery(query: URLSearchParams): DeleteOptions {
  return present<DeleteOptions>({
    gracePeriodSeconds: int64Value(query, 'gracePeriodSeconds'),
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

/** The kind of options in an audit event, whatever version the client names. */
const AUDITED_KIND = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };

/** Throws a 400 with the decoder's message. */
async function decodeBody(
  { audit }: RequestContext,
  { yieldToEventLoop, body }: { readonly yieldToEventLoop: YieldToEventLoop; readonly body: Uint8Array },
  open: () => OpenedBody,
): Promise<DeleteOptions> {
  try {
    const opened = open();
    const fault = kindFault(opened, body);
    if (fault !== undefined) throw newBadRequest(fault);
    codec ??= compileKind(defineKind<DeleteOptionsObject>(['meta.k8s.io', 'v1', 'DeleteOptions'], deleteOptionsSchema));
    const steps = yieldToEventLoop && opened.decodeSteps?.(codec, 'Ignore');
    const { object } =
      yieldToEventLoop && steps ? await inTurns(steps, yieldToEventLoop) : opened.decode(codec, 'Ignore');
    const { apiVersion: _apiVersion, kind: _kind, ...options } = object;
    if (audit?.wantsRequestObject) audit.requestObject(codec.encodeJson({ ...AUDITED_KIND, ...options }));
    return options;
  } catch (error) {
    throw isDecodeError(error) ? newBadRequest(error.message) : error;
  }
}

/** The reason why a body is not DeleteOptions. Any apiVersion is valid, because every group has DeleteOptions. */
function kindFault(
  named: { readonly apiVersion: string; readonly kind: string },
  body: Uint8Array,
): string | undefined {
  const { group, version, kind } = decodedKind(named, OPTIONS_KIND);
  if (version === '') return `Object 'apiVersion' is missing in '${Buffer.from(body).toString()}'`;
  if (kind === OPTIONS_KIND.kind) return undefined;
  const isMeta =
    group === OPTIONS_KIND.group && Object.hasOwn(META_KINDS, version) && META_KINDS[version]?.includes(kind);
  if (isMeta || UNVERSIONED_KINDS.includes(kind)) {
    return `converting (v1.${kind}) to (v1.${OPTIONS_KIND.kind}): unknown conversion`;
  }
  const groupVersion = quoteWithBytes(formatGroupVersion({ group, version }));
  return `no kind ${quoteWithBytes(kind)} is registered for version ${groupVersion} in scheme ${quote(SCHEME_NAME)}`;
}

const OPTIONS_KIND = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' };

/** The name of upstream's scheme for common kinds in messages. */
const SCHEME_NAME = 'pkg/apis/meta/internalversion/scheme/register.go:27';

/** Kinds of that scheme in any version. */
const UNVERSIONED_KINDS: readonly string[] = [
  ...['CreateOptions', 'UpdateOptions', 'Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'],
];

/** Kinds of that scheme, by version. Upstream: k8s.io/apimachinery/pkg/apis/meta/internalversion/register.go */
const META_KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: [
    ...['ListOptions', 'GetOptions', 'PatchOptions', 'WatchEvent'],
    ...['Table', 'TableOptions', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
  ],
  v1beta1: ['Table', 'TableOptions', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
};
