import {
  type ApiResponse,
  type Exchange,
  observed,
  type ParsedListOptions,
  type TraceSpan,
  tracedAuditId,
  type Watcher,
  type WatchSource,
} from '@apiserver/apiserver-contracts';
import { type MediaType, watchContentType } from '../negotiation/media-types.js';
import type { OutputMediaType } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { encodingFields, traceFields } from '../scope/trace-fields.js';
import { selectView } from '../views/select-view.js';
import { collectionOptions } from './list.js';
import { checkStreamable, negotiate } from './negotiate.js';
import { requestInfoOf, verbContextOf } from './request-target.js';
import { WatchFrames } from './watch-frames.js';
import { serveWatch } from './watch-server.js';
import type { WebSocketWatch } from './watch-web-socket.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (ListResource), watch.go */
export async function handleWatch(scope: EndpointScope, storage: Watcher, exchange: Exchange): Promise<ApiResponse> {
  const output = negotiate(scope, exchange);
  const options = collectionOptions(scope, exchange);
  const { span } = exchange.context;
  const isWatchList = options.sendInitialEvents === true && options.allowWatchBookmarks === true;
  if (isWatchList) observeWatchList(scope, exchange, options);
  if (span === undefined || !isWatchList) return await watch(scope, storage, exchange, { output, options });
  return await watchListed(exchange, span, () => watch(scope, storage, exchange, { output, options }));
}

/** A selector of one name or namespace counts as the path's. Upstream: RecordWatchListLatency, CleanListScope */
function observeWatchList(
  { environment, resource }: EndpointScope,
  exchange: Exchange,
  { fieldSelector }: ParsedListOptions,
): void {
  const info = requestInfoOf(exchange);
  const name = info.name || fieldSelector.requiresExactMatch('metadata.name');
  const namespace = info.namespace || fieldSelector.requiresExactMatch('metadata.namespace');
  const scope = name ? 'resource' : namespace ? 'namespace' : 'cluster';
  onInitialized(exchange, () => {
    const seconds = (performance.now() - exchange.context.startedAt) / 1_000;
    environment.metrics.watchListed(resource, scope, seconds);
  });
}

function onInitialized({ context }: Exchange, listener: () => void): void {
  context.watchInitialized = inTurn(context.watchInitialized, listener);
}

/** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
function inTurn(first: (() => void) | undefined, second: () => void): () => void {
  return () => {
    first?.();
    second();
  };
}

interface WatchRequest {
  readonly output: OutputMediaType | undefined;
  readonly options: ParsedListOptions;
}

async function watch(
  scope: EndpointScope,
  storage: Watcher,
  exchange: Exchange,
  { output, options }: WatchRequest,
): Promise<ApiResponse> {
  const timeoutSeconds = watchSeconds(scope, options);
  const source = await storage.watch(verbContextOf(scope, exchange), { ...options, watch: true, timeoutSeconds });
  if (output === undefined) return { type: 'value', status: 200, value: source };
  try {
    return await respondWatch(scope, exchange, source, { output, timeoutSeconds });
  } catch (error) {
    source.close();
    throw error;
  }
}

/** The spans of a watch end with its initial events: one without these has none. Upstream: handleWatch, HandleHTTP */
async function watchListed(
  exchange: Exchange,
  outer: TraceSpan,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { context, responseHeaders } = exchange;
  const span = outer.start('WatchList', traceFields(exchange));
  const observer = { audit: context.audit, span, auditId: tracedAuditId(responseHeaders) };
  const response = await observed(observer, work);
  const serving = span.start(
    'WatchServer.HandleHTTP',
    encodingFields(exchange, responseHeaders.get('content-type') ?? ''),
  );
  serving.addEvent('About to start writing response');
  onInitialized(exchange, () => {
    serving.addEvent('Writing initial events done');
    serving.end();
    span.end();
  });
  return response;
}

/** Duration of the watch: as requested, else at random between one and two times the minimum. */
function watchSeconds({ environment }: EndpointScope, { timeoutSeconds = 0 }: ParsedListOptions): number {
  return timeoutSeconds === 0 ? environment.minRequestTimeoutSeconds * (1 + environment.random()) : timeoutSeconds;
}

/** The stream of a watch that the storage has accepted. Throws a 406 for an encoding that cannot be streamed. */
function respondWatch(
  scope: EndpointScope,
  exchange: Exchange,
  source: WatchSource,
  { output, timeoutSeconds }: { readonly output: OutputMediaType; readonly timeoutSeconds: number },
): ApiResponse | Promise<ApiResponse> {
  checkStreamable(scope, output);
  const { mediaType } = output;
  const view = selectView(scope, output, 'watch', exchange.request.query);
  const frames = new WatchFrames(view, mediaType, scope.environment.cbor);
  const { logger, maxWatchBufferBytes, metrics } = scope.environment;
  const now = () => performance.now();
  // The client may disconnect before the stream starts; closing twice does nothing.
  exchange.onFinished(() => source.close());
  const watch: WebSocketWatch = {
    source,
    frames,
    timeoutMs: timeoutSeconds * 1000,
    maxBufferBytes: maxWatchBufferBytes,
    now,
    countEvent: metrics.watchEvents(scope.resource),
    initialized: () => exchange.context.watchInitialized?.(),
    countTerminated: () => metrics.watchTerminated(scope.resource),
    logger,
    path: exchange.request.path,
  };
  if (exchange.request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    return streamed(exchange, mediaType, watch);
  return import('./watch-web-socket.js').then(
    ({ watchOverWebSocket }) => watchOverWebSocket(exchange, watch) ?? streamed(exchange, mediaType, watch),
  );
}

function streamed(exchange: Exchange, mediaType: MediaType, watch: WebSocketWatch): ApiResponse {
  exchange.responseHeaders.set('Content-Type', watchContentType(mediaType));
  return {
    type: 'stream',
    status: 200,
    run: (writer) => serveWatch({ ...watch, writer, signal: exchange.signal }),
  };
}
