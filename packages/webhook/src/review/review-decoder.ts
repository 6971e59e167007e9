import { type Json, tryParseGroupVersion } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import {
  checkJson,
  hasMoreValues,
  isLargeJson,
  outlineOrValue,
  parseJson,
  scanJson,
  stringifyJson,
  typeOutline,
} from '@apiserver/apimachinery/codec/json';
import { yamlToJson } from '@apiserver/apimachinery/codec/yaml';
import { DecodeError, isDecodeError, messageOf } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { typeMetaOf } from './type-meta.js';

/** A longer response that is not JSON is not read as YAML, which would take too long. */
const MAX_YAML_BYTES = 16 * 1024;
/** The registry of kinds of admission and conversion, as errors show it. */
const SCHEME = 'pkg/util/webhook/client.go:71';

/** Input of `ReviewDecoder`. */
export interface ReviewDecoderOptions<T> {
  readonly group: string;
  readonly kind: string;
  /** The schema of each version of the review that this server speaks. */
  readonly schemas: Readonly<Record<string, KindSchema<T>>>;
  /** The name of upstream's registry of kinds. Default: that of admission and conversion. */
  readonly scheme?: string;
  /**
   * Maximum number of members of objects in a response, at all depths. Default: unlimited. Upstream has no such bound.
   */
  readonly mostMembers?: number;
  /** Maximum number of values in a response, at all depths. Default: unlimited. Upstream has no such bound. */
  readonly mostValues?: number;
  /** Maximum number of bytes of a response. Default: unlimited; clients have bounds of their own. */
  readonly mostBytes?: number;
}

/**
 * Decodes the responses of webhooks for reviews of one kind.
 * Upstream: the codec of ClientManager in k8s.io/apiserver/pkg/util/webhook
 */
export class ReviewDecoder<T> {
  readonly #options: ReviewDecoderOptions<T>;
  readonly #codecs = new Map<string, KindCodec<T>>();

  constructor(options: ReviewDecoderOptions<T>) {
    this.#options = options;
  }

  /**
   * Decodes a response, a long one in turns of the event loop. The version is that of the request, and has a schema.
   * Rejects with a DecodeError in upstream's words for text that is not a review in this version.
   */
  async decode(text: string, version: string): Promise<T> {
    const { mostMembers = Infinity, mostValues = Infinity, mostBytes = Infinity } = this.#options;
    const bytes = Buffer.from(text);
    if (bytes.length > mostBytes) throw new DecodeError('type', `more than ${mostBytes} bytes`);
    const json = jsonOf(bytes);
    // Before it is parsed, which takes most of the time.
    if (hasMoreValues(json, mostValues)) throw new DecodeError('type', `more than ${mostValues} values`);
    const scan = scanJson(json);
    if (scan.members > mostMembers) throw new DecodeError('type', `more than ${mostMembers} members`);
    if (isLargeJson(json)) return await inSlices(this.#decodeSteps(json, version));
    const parsed = explained(() => parseJson(json, scan));
    this.#checkKind(outlineOrValue(parsed), version);
    return this.#codecOf(version).decodeParsed(parsed, 'Ignore').object;
  }

  *#decodeSteps(json: Buffer, version: string): Generator<void, T> {
    const checked = explained(() => checkJson(json));
    yield;
    this.#checkKind(typeOutline(checked), version);
    yield;
    return (yield* this.#codecOf(version).decodeSteps(checked, 'Ignore')).object;
  }

  #codecOf(version: string): KindCodec<T> {
    const known = this.#codecs.get(version);
    if (known !== undefined) return known;
    const schema = this.#options.schemas[version];
    if (schema === undefined) throw new DecodeError('type', `no schema of version ${quote(version)}`);
    const codec = compileKind(schema);
    this.#codecs.set(version, codec);
    return codec;
  }

  /** Upstream: SimpleMetaFactory, and the decoder of all versions of the review */
  #checkKind(value: Json, version: string): void {
    const { group, kind, schemas, scheme: registry = SCHEME } = this.#options;
    const stated = typeMetaOf(value);
    const { group: statedGroup, version: statedVersion } = groupVersionOf(stated.apiVersion);
    const actual = statedVersion === '' ? { group, version } : { group: statedGroup, version: statedVersion };
    const actualKind = stated.kind === '' ? kind : stated.kind;
    if (actual.group === group && actual.version === version && actualKind === kind) return;
    const isReview = actual.group === group && actualKind === kind && Object.hasOwn(schemas, actual.version);
    const isStatus = actual.group === '' && actual.version === 'v1' && actualKind === 'Status';
    if (!isReview && !isStatus) {
      const where = `version ${quote(actual.group === '' ? actual.version : `${actual.group}/${actual.version}`)}`;
      const scheme = `in scheme ${quote(registry)}`;
      throw new DecodeError('type', `no kind ${quote(actualKind)} is registered for ${where} ${scheme}`);
    }
    const conversion = `(${actual.version}.${actualKind}) to (${version}.${kind})`;
    throw new DecodeError('type', `converting ${conversion}: unknown conversion`);
  }
}

/** Upstream reads text that is not a JSON object as YAML. */
function jsonOf(bytes: Buffer): Buffer {
  const isJson = /^\s*\{/.test(bytes.toString('utf8', 0, 1024));
  return isJson || bytes.length > MAX_YAML_BYTES ? bytes : Buffer.from(stringifyJson(yamlOf(bytes)));
}

function explained<T>(parse: () => T): T {
  try {
    return parse();
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

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  if (apiVersion === '') return { group: '', version: '' };
  const parsed = tryParseGroupVersion(apiVersion);
  if (parsed === undefined) throw new DecodeError('type', `unexpected GroupVersion string: ${apiVersion}`);
  return parsed;
}
