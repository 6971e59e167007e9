import { type Json, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import type { Decoded, KindCodec } from '@apiserver/apimachinery/codec';
import { checkJson, exactJson, type ParsedJson, parseJson } from '@apiserver/apimachinery/codec/json';
import { isDecodeError, newBadRequest, newInvalid, type StatusError } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isMembers } from '@apiserver/apimachinery/json';
import { escapeHtml, quote } from '@apiserver/apimachinery/text';
import { asJson } from '../semantics/as-json.js';
import { decodedKind } from '../semantics/stated-kind.js';
import { internalKindMismatch, kindMismatch, ownMember } from './body-kind.js';
import { refuseManyAdded } from './body-values.js';
import { strictDecodingError } from './decode-body.js';
import { type PatchInput, type ReadPatch, readPatch, readPatchInSteps } from './read-patch.js';
import { resetsManagedFields } from './reset-marker.js';
import { toHub } from './to-hub.js';
import { jsonTypeMeta } from './type-meta.js';
import { warnStrictErrors } from './warn-strict-errors.js';

/** A decoded patch that can be applied repeatedly. */
export interface PatchMechanism {
  /**
   * Returns a new, defaulted object in the hub version. Only the patch itself changes its managed fields. Throws a 400
   * or 422. `current` is not changed.
   */
  apply(current: KubeObject): KubeObject;
  /** The same in steps, for large objects. */
  applyInSteps(current: KubeObject): Generator<void, KubeObject>;
}

/**
 * Reads a patch. Errors of the patch are thrown by `apply`, because a patch of a missing object is always a 404.
 *
 * Upstream: jsonPatcher and smpPatcher in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function patchMechanism(input: PatchInput): PatchMechanism {
  let patch: ReadPatch | undefined;
  return {
    apply: (current) => {
      patch ??= readPatch(input);
      const patching = beginPatching(input, patch, current);
      return withinStack(() => applied(patching));
    },
    applyInSteps: function* (current) {
      patch ??= yield* readPatchInSteps(input);
      yield;
      const steps = appliedInSteps(beginPatching(input, patch, current));
      for (;;) {
        const step = withinStack(() => steps.next());
        if (step.done) return step.value;
        yield;
      }
    },
  };
}

function applied(patching: Patching): KubeObject {
  const { patch, document } = patching;
  if (patch.isOdd) return atOnce(appliedFromText(patching));
  const patched = patch.change(asJson(document));
  if (patch.copies) refuseManyAdded(patched, document);
  const form = beginDecoding(patching, patched);
  return finishPatched(patching, form, decodePatched(patching, form));
}

function* appliedInSteps(patching: Patching): Generator<void, KubeObject> {
  const { patch, document } = patching;
  if (patch.isOdd) return yield* appliedFromText(patching);
  const patched = yield* changed(patch, asJson(document));
  yield;
  refuseManyAdded(patched, document);
  yield;
  const form = beginDecoding(patching, patched);
  yield;
  const decoded = yield* decodePatchedInSteps(patching, form);
  yield;
  return finishPatched(patching, form, decoded);
}

/** Reads the document from its text, which has what a value of JSON cannot have. */
function* appliedFromText(patching: Patching): Generator<void, KubeObject> {
  const written = yield* writtenInSteps(patching);
  yield;
  const text = parseJson(Buffer.from(written));
  const { value } = text;
  yield;
  refuseManyAdded(value, patching.document);
  yield;
  const form = beginDecoding(patching, value, text);
  yield;
  const { codec, document } = form;
  const decoded =
    document === value ? yield* decodeShown(patching, codec) : yield* decodePatchedInSteps(patching, form);
  yield;
  return finishPatched(patching, form, decoded);
}

/** Operations that copy can nest a document so deep that the walks through it exceed the stack: a 400, too. */
function withinStack<R>(work: () => R): R {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && error.message === STACK_OVERFLOW) throw tooDeep();
    throw error;
  }
}

/** The message of V8. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';
const TOO_DEEP = 'exceeded max depth';

function tooDeep(): StatusError {
  return newBadRequest(`error decoding patch: ${TOO_DEEP}`);
}

/** A patch, and the object that it is applied to. */
interface Patching {
  readonly input: PatchInput;
  readonly patch: ReadPatch;
  /** The document to patch. */
  readonly document: KubeObject;
  /** The document with its managed fields, for messages. */
  readonly shown: KubeObject;
  /** Managed fields to restore: they were removed from the document. */
  readonly managedFields: KubeObject['metadata']['managedFields'];
}

function beginPatching(input: PatchInput, patch: ReadPatch, current: KubeObject): Patching {
  const shown = input.scope.toVersion(current);
  const { managedFields, ...metadata } = shown.metadata;
  if (managedFields === undefined || !patch.sparesManagedFields) {
    return { input, patch, document: shown, shown, managedFields: undefined };
  }
  // Managed fields are a third of a small object. Without them, less is copied, decoded and compared.
  return { input, patch, document: { ...shown, metadata }, shown, managedFields };
}

/** The form of a patched document. */
interface PatchedForm {
  /** Of the kind that the document states. */
  readonly codec: KindCodec;
  /** The document to decode. */
  readonly document: Json;
  /** Errors of strict decoding of fields that are not decoded. */
  readonly strictErrors: readonly string[];
  /** True if the patch resets the managed fields, which decoding would lose. */
  readonly isReset: boolean;
}

/** Throws for a patched document without a kind. `text`: the text of an odd document. */
function beginDecoding(patching: Patching, patched: Json, text?: ParsedJson): PatchedForm {
  const { input } = patching;
  if (!isStrategic(patching)) {
    const { apiVersion, kind } = checkTypeMeta(patching, patched, text);
    if (apiVersion === '' && hasInternalType(input)) return unversionedForm(patching, patched, kind);
  }
  const isReset = resetsManagedFields(patched);
  return { codec: patchedCodec(input, patched), document: patched, strictErrors: [], isReset };
}

/** The internal type of a custom resource's Scale is the versioned one. */
function hasInternalType({ scope }: PatchInput): boolean {
  return scope.resourcePolicy.openApi.isInScheme;
}

/**
 * Upstream decodes a document without apiVersion into its internal Go type, which knows none of the members. Without a
 * name, the result is rejected later.
 */
function unversionedForm(patching: Patching, patched: Json, kind: string): PatchedForm {
  const { scope, directive } = patching.input;
  const mismatch = internalKindMismatch(scope, kind);
  if (mismatch !== undefined) throw refusal(patching, mismatch);
  const unknown = isMembers(patched) && directive !== 'Ignore' ? Object.keys(patched).sort().filter(isNoTypeMeta) : [];
  return {
    codec: scope.codec,
    document: {},
    strictErrors: unknown.map((name) => `unknown field ${quote(name)}`),
    isReset: false,
  };
}

function isNoTypeMeta(name: string): boolean {
  return name !== 'apiVersion' && name !== 'kind';
}

/** The codec of a custom resource depends on the version that a patch gives it. */
function patchedCodec({ scope }: PatchInput, patched: Json): KindCodec {
  if (scope.kindPolicy.body.refusesOtherKinds) return scope.codec;
  const [apiVersion, kind] = [ownMember(patched, 'apiVersion'), ownMember(patched, 'kind')];
  const named = typeof apiVersion === 'string' ? tryParseGroupVersion(apiVersion) : undefined;
  return scope.codecOf({ group: '', version: '', ...named, kind: String(kind) }) ?? scope.codec;
}

function isStrategic({ input }: Patching): boolean {
  return input.type === 'application/strategic-merge-patch+json';
}

function decodePatched(patching: Patching, { codec, document }: PatchedForm): Decoded<KubeObject> {
  const { directive } = patching.input;
  try {
    if (isStrategic(patching)) return codec.fromUnstructured(document, directive);
    const decoded = codec.fromJson(document, directive);
    if (decoded.strictErrors.length < 2) return decoded;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    refuseTooDeep(error);
    if (isStrategic(patching)) throw refusal(patching, error.message);
  }
  return atOnce(decodeShown(patching, codec));
}

function* decodePatchedInSteps(
  patching: Patching,
  { codec, document }: PatchedForm,
): Generator<void, Decoded<KubeObject>> {
  const { directive } = patching.input;
  try {
    if (isStrategic(patching)) return yield* codec.fromUnstructuredSteps(document, directive, false);
    const decoded = yield* codec.fromJsonSteps(document, directive);
    if (decoded.strictErrors.length < 2) return decoded;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    refuseTooDeep(error);
    if (isStrategic(patching)) throw yield* refusalInSteps(patching, error.message);
  }
  return yield* decodeShown(patching, codec);
}

/** Throws a 400 for a document that nests too deep to be shown. Operations can nest it deeper than the patch is. */
function refuseTooDeep({ message }: Error): void {
  if (message === TOO_DEEP) throw tooDeep();
}

/** Decodes the text that upstream decodes: the order of its members is that of several errors. */
function* decodeShown(patching: Patching, codec: KindCodec): Generator<void, Decoded<KubeObject>> {
  const shown = yield* shownInSteps(patching);
  yield;
  try {
    return yield* codec.decodeSteps(checkJson(Buffer.from(shown)), patching.input.directive);
  } catch (error) {
    throw isDecodeError(error) ? invalidPatch(shown, error.message) : error;
  }
}

/** Checks the decoded object against the endpoint, and reports strict decoding errors. */
function finishPatched(
  patching: Patching,
  { codec, isReset, strictErrors: undecoded }: PatchedForm,
  { object, strictErrors }: Decoded<KubeObject>,
): KubeObject {
  const { scope, exchange, directive } = patching.input;
  const { body } = scope.kindPolicy;
  // The result of a strategic merge has the original kind, whatever it states.
  const mismatch = isStrategic(patching) ? undefined : kindMismatch(scope, decodedKind(object, scope.kind));
  if (mismatch !== undefined) throw refusal(patching, mismatch);
  if (isReset) body.markReset(object);
  const errors = [...patching.patch.strictErrors, ...undecoded, ...strictErrors];
  if (directive === 'Strict' && errors.length > 0) throw refusal(patching, strictDecodingError(errors));
  warnStrictErrors(exchange.context.warnings, errors);
  body.settlePatchedKind(object, scope.kind, scope.definition.hubVersion);
  const hub = toHub(scope, object, codec);
  if (patching.managedFields !== undefined) hub.metadata.managedFields = patching.managedFields;
  return hub;
}

function refusal(patching: Patching, why: string): StatusError {
  return atOnce(refusalInSteps(patching, why));
}

function* refusalInSteps(patching: Patching, why: string): Generator<void, StatusError> {
  return invalidPatch(yield* shownInSteps(patching), why);
}

/** The document in upstream's text, or what errors show instead. */
function* shownInSteps(patching: Patching): Generator<void, string> {
  const written = yield* writtenInSteps(patching);
  yield;
  return patching.patch.write === undefined ? written : escapeHtml(written);
}

/** The same before `escapeHtml`: the escapes make a text of megabytes six times as long. */
function* writtenInSteps({ input, patch, shown }: Patching): Generator<void, string> {
  if (patch.write === undefined) return patch.shown?.() ?? '';
  yield;
  const text = yield* input.scope.codec.encodeJsonSteps(shown);
  yield;
  return yield* patch.write(text);
}

function* changed(patch: ReadPatch, document: Json): Generator<void, Json> {
  return patch.changeInSteps === undefined ? patch.change(document) : yield* patch.changeInSteps(document);
}

function invalidPatch(shown: string, why: string): StatusError {
  return newInvalid({ group: '', kind: '' }, '', [fieldInvalid(FieldPath.of('patch'), shown, why)]);
}

/** Upstream reads the result of JSON and merge patches like a body: first its kind. */
function checkTypeMeta(patching: Patching, patched: Json, text?: ParsedJson): ReturnType<typeof jsonTypeMeta> {
  const { scope } = patching.input;
  try {
    const meta = jsonTypeMeta(patched);
    if (!scope.kindPolicy.body.patchNeedsKind || ownMember(patched, 'kind')) return meta;
    // Upstream reads all numbers before it misses the kind.
    if (text !== undefined) exactJson(text);
  } catch (error) {
    throw isDecodeError(error) ? refusal(patching, error.message) : error;
  }
  throw refusal(patching, `Object 'Kind' is missing in '${atOnce(shownInSteps(patching))}'`);
}
