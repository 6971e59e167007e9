import { areSlicesWaiting } from '@apiserver/apimachinery/clock';
import type { ApiResponse, Exchange, StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import { inTurns, LARGE, nextTurn } from '../body/event-loop-turns.js';
import type { MediaType } from '../negotiation/media-types.js';
import { isPretty, type OutputMediaType } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { type Piece, pieceInTurns } from '../views/pieces.js';
import { protobufListPieces } from '../views/protobuf-list.js';
import type { ResponseView } from '../views/response-view.js';
import { plainViewOf, selectView } from '../views/select-view.js';
import { indentJson, indentPieces } from './indent-json.js';
import { observedEncoding, observedTransform } from './observed-encoding.js';
import { respondBytes, respondPieces, respondRuns } from './respond-bytes.js';
import { yamlListPieces, yamlSteps } from './yaml-list.js';

/** Items of which a list is made at once. */
const FEW_ITEMS = 64;

/** The code of a response and its negotiated form. */
export interface ResponseOptions {
  readonly status: number;
  /** The result of `negotiate`; undefined for in-process callers, who get the value itself. */
  readonly output: OutputMediaType | undefined;
}

/**
 * Responds with one object: the store's bytes, if the client wants that form.
 *
 * Upstream: transformResponseObject in k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
export function respondObject(
  scope: EndpointScope,
  exchange: Exchange,
  stored: StoredObject,
  { status, output }: ResponseOptions,
): ApiResponse | Promise<ApiResponse> {
  const { audit } = exchange.context;
  if (output === undefined) {
    if (audit?.wantsResponseObject) audit.responseObject(objectJson(plainViewOf(scope), stored));
    return { type: 'value', status, value: stored };
  }
  const { mediaType } = output;
  const view = observedTransform(exchange, () => selectView(scope, output, 'object', exchange.request.query));
  if (audit?.wantsResponseObject) audit.responseObject(objectJson(view, stored));
  const respond = (bytes: Uint8Array) => {
    exchange.responseHeaders.set('Content-Type', mediaType);
    if (mediaType !== 'application/json') return respondBytes(exchange, status, bytes);
    if (bytes.length <= LARGE || !isIndented(exchange, output)) {
      return respondBytes(exchange, status, finishJson(exchange, output, bytes));
    }
    return respondPieces(exchange, status, indentPieces([bytes]), scope.environment.chunkMemory);
  };
  const isLarge = stored.byteLength !== undefined && stored.byteLength > LARGE;
  return observedEncoding(exchange, mediaType, () =>
    isLarge ? encodeInTurns(view, stored, mediaType).then(respond) : respond(view.encode(stored, mediaType)),
  );
}

/** An object for the audit event, in turns if it is large. */
function* objectJson(view: ResponseView, stored: StoredObject): Generator<Piece> {
  const preparing = view.prepare(stored, 'application/json');
  if (preparing !== undefined) yield preparing;
  const isLarge = stored.byteLength !== undefined && stored.byteLength > LARGE;
  const steps = isLarge ? view.encodeSteps?.(stored, 'application/json') : undefined;
  if (steps === undefined) yield view.encode(stored, 'application/json');
  else yield* pieceInTurns(steps);
}

/** A large object in the negotiated form; YAML is made from the store's JSON. */
async function encodeInTurns(view: ResponseView, stored: StoredObject, mediaType: MediaType): Promise<Uint8Array> {
  const isYaml = mediaType === 'application/yaml';
  const source = isYaml ? 'application/json' : mediaType;
  const preparing = view.prepare(stored, source);
  if (preparing !== undefined) await preparing.then(nextTurn);
  const steps = view.encodeSteps?.(stored, source);
  const bytes = steps === undefined ? view.encode(stored, source) : await inTurns(steps, nextTurn);
  return isYaml ? await inTurns(yamlSteps(bytes), nextTurn) : bytes;
}

/**
 * Responds with a list, item by item at the client's pace. It never buffers the whole body or blocks the event loop.
 */
export async function respondList(
  scope: EndpointScope,
  exchange: Exchange,
  list: StoredList,
  { status, output }: ResponseOptions,
): Promise<ApiResponse> {
  const { audit } = exchange.context;
  if (output === undefined) {
    if (audit?.wantsResponseObject) audit.responseObject(plainViewOf(scope).jsonList(list));
    return { type: 'value', status, value: list };
  }
  const view = observedTransform(exchange, () => selectView(scope, output, 'list', exchange.request.query));
  if (audit?.wantsResponseObject) audit.responseObject(view.jsonList(list));
  return observedEncoding(exchange, output.mediaType, () =>
    encodeList(scope, exchange, list, { view, status, output }),
  );
}

interface ListEncoding {
  readonly view: ResponseView;
  readonly status: number;
  readonly output: OutputMediaType;
}

async function encodeList(
  scope: EndpointScope,
  exchange: Exchange,
  list: StoredList,
  { view, status, output }: ListEncoding,
): Promise<ApiResponse> {
  const { chunkMemory } = scope.environment;
  // The first part of a long body takes its turn, too.
  if (list.items.length > FEW_ITEMS && areSlicesWaiting()) await nextTurn();
  exchange.responseHeaders.set('Content-Type', output.mediaType);
  const body = isIndented(exchange, output) ? undefined : view.listBody?.(output.mediaType);
  const compressed = body && (await respondRuns(exchange, status, body, list));
  if (compressed !== undefined) return compressed;
  switch (output.mediaType) {
    case 'application/json':
      return respondPieces(exchange, status, jsonPieces(exchange, output, view, list), chunkMemory);
    case 'application/yaml':
      return respondPieces(exchange, status, yamlListPieces(view.jsonList(list)), chunkMemory);
    case 'application/cbor':
      return respondPieces(exchange, status, required(view.cborList)(list), chunkMemory);
    default:
      return respondPieces(exchange, status, protobufListPieces(required(view.protobufList), list), chunkMemory);
  }
}

/** Returns a form that exists, because negotiation excludes other forms. */
function required<T>(form: T | undefined): T {
  if (form === undefined) throw new TypeError('the view has no such form');
  return form;
}

const NEWLINE = Buffer.from('\n');

/** JSON ends with a newline, as Go's encoder writes it; indented JSON does not. */
export function finishJson(exchange: Exchange, output: { readonly pretty: boolean }, json: Uint8Array): Uint8Array {
  return isIndented(exchange, output) ? indentJson(json) : withNewline(json);
}

function isIndented(exchange: Exchange, output: { readonly pretty: boolean }): boolean {
  return output.pretty || isPretty(exchange.request);
}

function withNewline(json: Uint8Array): Uint8Array {
  const body = Buffer.allocUnsafe(json.length + 1);
  body.set(json);
  body[json.length] = 0x0a;
  return body;
}

function* jsonPieces(
  exchange: Exchange,
  output: OutputMediaType,
  view: ResponseView,
  list: StoredList,
): Generator<Piece> {
  if (isIndented(exchange, output)) {
    yield* indentPieces(view.jsonList(list));
    return;
  }
  yield* view.jsonList(list);
  yield NEWLINE;
}
