import { formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import type { Decoded, KindCodec } from '@apiserver/apimachinery/codec';
import { exactJson, parseJson, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { type DecodeError, isDecodeError, newBadRequest } from '@apiserver/apimachinery/errors';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import { negotiateInput } from '../negotiation/negotiate-input.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { servedCbor } from '../scope/object-form.js';
import type { ShownBody } from '../semantics/kind-policy.js';
import { decodedKind, unusableBody } from '../semantics/stated-kind.js';
import {
  acceptsVersion,
  isVersionAtRest,
  kindMismatch,
  type OpenedBody,
  openBody,
  openCborMapSteps,
} from './body-kind.js';
import { refuseManyValues, refuseManyValuesIn } from './body-values.js';
import { inTurns, yieldFor } from './event-loop-turns.js';
import { type ReadYaml, readLargeYaml } from './large-yaml.js';
import { resetsManagedFields } from './reset-marker.js';
import { toHub } from './to-hub.js';
import { warnStrictErrors } from './warn-strict-errors.js';

/** A body as received; undefined for in-process callers. */
export type SentBody =
  | {
      readonly bytes: Uint8Array;
      readonly mediaType: MediaType;
      /** Is told of the body's kind each time it is decoded. */
      readonly onOpened?: (opened: OpenedBody) => void;
    }
  | undefined;

/** The encoding of a body. Throws a 415. */
export function bodyMediaType(scope: EndpointScope, { request }: Exchange): MediaType {
  return negotiateInput(request.headers.get('content-type'), scope.bodyMediaTypes);
}

/**
 * Decodes the object in a body, defaulted and in the hub version; the caller may change it. Unknown and duplicate
 * fields become warnings or a 400, depending on `directive`. Throws a 400 for anything but an object of the endpoint's
 * kind and version. An object of another version is decoded in that version first. A large body is decoded in steps
 * between other requests, and the result is a promise. A small one is returned synchronously: only await promises.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go, k8s.io/apimachinery/pkg/runtime/serializer
 */
export function decodeBody(
  scope: EndpointScope,
  exchange: Exchange,
  body: SentBody,
  directive: ValidationDirective,
): KubeObject | Promise<KubeObject> {
  if (body === undefined) return decodeInProcess(scope, exchange);
  const { bytes, mediaType } = body;
  const yieldToEventLoop = yieldFor(bytes, mediaType);
  const decoding = (readYaml?: ReadYaml) => {
    const sent = { ...body, readYaml };
    return yieldToEventLoop === undefined
      ? decodeSent(scope, exchange, sent, directive)
      : inTurns(decodeSentInSteps(scope, exchange, sent, directive), yieldToEventLoop);
  };
  const isYaml = mediaType === 'application/yaml';
  return (isYaml ? readLargeYaml(scope.environment, exchange, bytes)?.then(decoding) : undefined) ?? decoding();
}

type ReadBody = NonNullable<SentBody> & { readonly readYaml: ReadYaml | undefined };

function decodeSent(
  scope: EndpointScope,
  exchange: Exchange,
  body: ReadBody,
  directive: ValidationDirective,
): KubeObject {
  const opened = atOnce(openSteps(scope, body));
  const { kind, codec } = bodyForm(scope, opened, body, directive);
  let decoded: Decoded<KubeObject>;
  try {
    decoded = opened.decode(codec, directive);
  } catch (error) {
    throw isDecodeError(error) ? unusable(scope, kind, error.message) : error;
  }
  return finishDecoding(scope, exchange, { opened, kind, codec, decoded }, directive);
}

function* decodeSentInSteps(
  scope: EndpointScope,
  exchange: Exchange,
  body: ReadBody,
  directive: ValidationDirective,
): Generator<void, KubeObject> {
  refuseManyValues(body.bytes, body.mediaType);
  yield;
  const opened = yield* openSteps(scope, body);
  const { kind, codec } = bodyForm(scope, opened, body, directive);
  yield;
  let decoded: Decoded<KubeObject>;
  try {
    const { decodeSteps } = opened;
    decoded = decodeSteps ? yield* decodeSteps(codec, directive) : opened.decode(codec, directive);
  } catch (error) {
    throw isDecodeError(error) ? unusable(scope, kind, error.message) : error;
  }
  yield;
  if (body.mediaType !== 'application/json') refuseManyValuesIn(decoded.object, body.bytes.length);
  return finishDecoding(scope, exchange, { opened, kind, codec, decoded }, directive);
}

/** The form in which a body is decoded: that of the kind which it states. */
interface BodyForm {
  readonly kind: GroupVersionKind;
  readonly codec: KindCodec;
}

interface DecodedBody extends BodyForm {
  readonly opened: OpenedBody;
  readonly decoded: Decoded<KubeObject>;
}

function finishDecoding(
  scope: EndpointScope,
  exchange: Exchange,
  { opened, kind, codec, decoded: { object, strictErrors } }: DecodedBody,
  directive: ValidationDirective,
): KubeObject {
  if (opened.resetsManagedFields) scope.kindPolicy.body.markReset(object);
  object.apiVersion = formatGroupVersion(kind);
  object.kind = kind.kind;
  if (directive === 'Strict' && strictErrors.length > 0) {
    const { refusesOtherKinds } = scope.kindPolicy.body;
    if (!refusesOtherKinds && kind.group === '' && kind.version === '') throw newBadRequest(NO_VERSION);
    // Upstream names the kind that the decoded object has.
    const decodedAs = refusesOtherKinds ? scope.kind : kind;
    throw unusable(scope, kind, strictDecodingError(strictErrors), decodedAs);
  }
  warnStrictErrors(exchange.context.warnings, strictErrors);
  if (!isAccepted(scope, kind)) throw wrongVersion(scope, kind);
  return toHub(scope, object, codec);
}

/** The fault that upstream finds in a custom resource without apiVersion when it makes the message of another. */
const NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

/** The message for unknown and duplicate fields. */
export function strictDecodingError(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

function decodeInProcess(scope: EndpointScope, exchange: Exchange): KubeObject {
  const body = exchange.request.inProcess?.body;
  if (body === undefined) throw newBadRequest('an object must be provided');
  const object = scope.codec.normalize(body);
  if (resetsManagedFields(body)) scope.kindPolicy.body.markReset(object);
  return toHub(scope, object);
}

function* openSteps(scope: EndpointScope, body: ReadBody): Generator<void, OpenedBody> {
  const opened = yield* readKindSteps(scope, body);
  body.onOpened?.(opened);
  return opened;
}

function* readKindSteps(scope: EndpointScope, { bytes, mediaType, readYaml }: ReadBody): Generator<void, OpenedBody> {
  const { cbor } = scope.environment;
  try {
    if (mediaType === 'application/cbor' && !scope.kindPolicy.body.refusesOtherKinds) {
      return yield* openCborMapSteps(bytes, servedCbor(cbor));
    }
    return openBody(bytes, mediaType, cbor, readYaml);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const summary = summarize(bytes);
    throw newBadRequest(
      bodyFault(scope) ??
        `the object provided is unrecognized (must be of type ${scope.kind.kind}): ${error.message} (${summary})`,
    );
  }
}

/** Throws a 400 for a body that cannot be decoded before its kind is refused. */
function bodyForm(scope: EndpointScope, opened: OpenedBody, body: ReadBody, directive: ValidationDirective): BodyForm {
  if (opened.fault !== undefined) throw unusable(scope, decodedKind(opened, scope.kind), opened.fault.message);
  const large = numberFault(scope, opened, body);
  if (large !== undefined) throw unusable(scope, decodedKind(opened, scope.kind), large.message);
  const show = () => shownBody(scope, body);
  const kind = scope.kindPolicy.body.statedKind(opened, scope.kind, show, directive !== 'Ignore');
  if (lacksVersion(scope, kind, body)) {
    throw unusable(scope, kind, `Object 'apiVersion' is missing in '${show().text()}'`);
  }
  const mismatch = isVersionAtRest(scope, kind) ? undefined : kindMismatch(scope, kind);
  if (mismatch !== undefined) throw unusable(scope, kind, mismatch);
  const codec = scope.codecOf(kind) ?? (isAccepted(scope, kind) ? scope.codec : undefined);
  if (codec === undefined) throw wrongVersion(scope, kind);
  return { kind, codec };
}

/**
 * The fault of a number beyond a double in a custom resource that does not name its kind exactly: upstream reads all
 * values before it does without other spellings.
 */
function numberFault({ kindPolicy }: EndpointScope, opened: OpenedBody, body: ReadBody): DecodeError | undefined {
  if (kindPolicy.body.refusesOtherKinds || body.mediaType !== 'application/json' || namesKind(opened)) return undefined;
  try {
    exactJson(parseJson(body.bytes));
    return undefined;
  } catch (error) {
    if (isDecodeError(error)) return error;
    throw error;
  }
}

/** Reports whether a body has a kind and a version in members of exactly these names. */
function namesKind({ member, apiVersion }: OpenedBody): boolean {
  return Boolean(member('kind')) && member('apiVersion') === apiVersion && apiVersion !== '' && apiVersion !== '/';
}

/** True for an apiVersion such as `apps/`. */
function lacksVersion({ kindPolicy }: EndpointScope, { version }: GroupVersionKind, { mediaType }: ReadBody): boolean {
  const isText = mediaType === 'application/json' || mediaType === 'application/yaml';
  return version === '' && isText && kindPolicy.body.refusesOtherKinds;
}

function isAccepted(scope: EndpointScope, { group, version }: GroupVersionKind): boolean {
  return group === scope.kind.group && acceptsVersion(scope, version);
}

function shownBody({ environment: { cbor } }: EndpointScope, { bytes, mediaType, readYaml }: ReadBody): ShownBody {
  const isCbor = mediaType === 'application/cbor';
  const text = () => (isCbor && cbor?.diagnoseCbor(bytes)) || Buffer.from(bytes).toString('utf8');
  const json = () => {
    if (mediaType !== 'application/yaml') return text().trim();
    return readYaml === undefined ? stringifyJson(parseYaml(bytes)) : Buffer.from(readYaml().json).toString('utf8');
  };
  return { isCbor, text, json, summary: () => summarize(bytes) };
}

function unusable(scope: EndpointScope, kind: GroupVersionKind, why: string, expected: GroupVersionKind = scope.kind) {
  const fault = bodyFault(scope);
  return fault === undefined ? unusableBody(expected, kind, why) : newBadRequest(fault);
}

function bodyFault({ resourcePolicy, kind, definition }: EndpointScope): string | undefined {
  return resourcePolicy.bodyFault(kind, definition);
}

function wrongVersion(scope: EndpointScope, kind: GroupVersionKind) {
  return newBadRequest(
    `the API version in the data (${formatGroupVersion(kind)}) does not match the expected API version `.toWellFormed() +
      `(${formatGroupVersion(scope.kind)})`,
  );
}

/** The first bytes of a body for messages: text if it looks like JSON, else hexadecimal. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const start = Buffer.from(bytes.subarray(0, 30));
  const shown = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > 30 ? `${shown} ...` : shown;
}
