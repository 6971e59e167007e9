import { type AdmissionResponse, AdmissionReview } from '@apiserver/api/admission/v1';
import { AdmissionReview as AdmissionReviewV1beta1 } from '@apiserver/api/admission/v1beta1';
import { formatGroupVersionKind, type Json, tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { type ParsedJson, parseJson, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { yamlToJson } from '@apiserver/apimachinery/codec/yaml';
import { DecodeError, isDecodeError, messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { typeMetaOf } from './type-meta.js';

/** Versions of AdmissionReview that this server speaks. */
export type ReviewVersion = 'v1' | 'v1beta1';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';
/** A longer response that is not JSON is not read as YAML, which would take too long. */
const MAX_YAML_BYTES = 16 * 1024;
/** The registry of kinds, as errors show it. */
const SCHEME = 'pkg/util/webhook/client.go:71';

const codecs = { v1: () => compileKind(AdmissionReview), v1beta1: () => compileKind(AdmissionReviewV1beta1) };

/** The decision of a webhook. */
export interface ReviewResponse extends Omit<AdmissionResponse, 'uid' | 'patch'> {
  /** JSON text; empty if there is none. */
  readonly patch: Uint8Array;
}

/** The request that a response must belong to. */
export interface ReviewedRequest {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly isMutating: boolean;
}

/** Decodes and checks the responses of webhooks. */
export class ReviewReader {
  readonly #codecs = new Map<ReviewVersion, ReturnType<(typeof codecs)[ReviewVersion]>>();

  /**
   * Decodes a response. Throws a DecodeError in upstream's words for text that is not a review in the version of the
   * request.
   */
  decode(text: string, version: ReviewVersion): AdmissionReview {
    const parsed = parse(Buffer.from(text));
    checkKind(parsed.value, version);
    const codec = this.#codecs.get(version) ?? codecs[version]();
    this.#codecs.set(version, codec);
    return codec.decodeParsed(parsed, 'Ignore').object;
  }
}

/**
 * The decision in a review, or the reason why it cannot be used.
 * Upstream: VerifyAdmissionResponse of k8s.io/apiserver/pkg/admission/plugin/webhook/request
 */
export function verifyResponse(
  { apiVersion, kind, response }: AdmissionReview,
  { uid, version, isMutating }: ReviewedRequest,
): ReviewResponse | { readonly fault: string } {
  if (response === undefined || response === null) return { fault: 'webhook response was absent' };
  const { uid: responseUid = '', patch = '', patchType, ...rest } = response;
  const bytes = isMutating || version === 'v1' ? Buffer.from(patch, 'base64') : Buffer.alloc(0);
  if (version === 'v1beta1') {
    return { ...rest, patch: bytes, ...(bytes.length > 0 && { patchType: 'JSONPatch' }) };
  }
  if (responseUid !== uid) return { fault: `expected response.uid=${quote(uid)}, got ${quote(responseUid)}` };
  if (apiVersion !== `${GROUP}/v1` || kind !== KIND) {
    const got = formatGroupVersionKind({ ...groupVersionOf(apiVersion ?? ''), kind: kind ?? '' });
    return { fault: `expected webhook response of ${GROUP}/v1, Kind=${KIND}, got ${got}` };
  }
  const fault = isMutating ? patchFault(bytes, patchType) : unexpectedPatch(bytes, patchType);
  if (fault !== undefined) return { fault };
  return { ...rest, patch: bytes, ...(patchType !== undefined && { patchType }) };
}

function patchFault(patch: Uint8Array, patchType: string | undefined): string | undefined {
  if (patch.length > 0 && patchType === undefined) {
    return 'webhook returned response.patch but not response.patchType';
  }
  if (patch.length === 0 && patchType !== undefined) {
    return 'webhook returned response.patchType but not response.patch';
  }
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function unexpectedPatch(patch: Uint8Array, patchType: string | undefined): string | undefined {
  if (patch.length > 0) return 'validating webhook may not return response.patch';
  return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
}

/** Upstream reads text that is not a JSON object as YAML. */
function parse(bytes: Buffer): ParsedJson {
  const isJson = /^\s*\{/.test(bytes.toString('utf8', 0, 1024));
  const json = isJson || bytes.length > MAX_YAML_BYTES ? bytes : Buffer.from(stringifyJson(yamlOf(bytes)));
  try {
    return parseJson(json);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw new DecodeError(error.reason, `couldn't get version/kind; json parse error: ${error.message}`);
  }
}

function yamlOf(bytes: Buffer): Json {
  try {
    return yamlToJson(bytes).value;
  } catch (error) {
    throw new DecodeError('syntax', messageOf(error));
  }
}

/** Upstream: SimpleMetaFactory, and the decoder of the two versions of AdmissionReview */
function checkKind(value: Json, version: ReviewVersion): void {
  const { apiVersion, kind } = typeMetaOf(value);
  const { group, version: stated } = groupVersionOf(apiVersion);
  const actual = stated === '' ? { group: GROUP, version } : { group, version: stated };
  const actualKind = kind === '' ? KIND : kind;
  if (actual.group === GROUP && actual.version === version && actualKind === KIND) return;
  const isReview = actual.group === GROUP && actualKind === KIND && ['v1', 'v1beta1'].includes(actual.version);
  const isStatus = actual.group === '' && actual.version === 'v1' && actualKind === 'Status';
  if (!isReview && !isStatus) {
    const where = `version ${quote(actual.group === '' ? actual.version : `${actual.group}/${actual.version}`)}`;
    throw new DecodeError('type', `no kind ${quote(actualKind)} is registered for ${where} in scheme ${quote(SCHEME)}`);
  }
  throw new DecodeError(
    'type',
    `converting (${actual.version}.${actualKind}) to (${version}.${KIND}): unknown conversion`,
  );
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  if (apiVersion === '') return { group: '', version: '' };
  const parsed = tryParseGroupVersion(apiVersion);
  if (parsed === undefined) throw new DecodeError('type', `unexpected GroupVersion string: ${apiVersion}`);
  return parsed;
}
