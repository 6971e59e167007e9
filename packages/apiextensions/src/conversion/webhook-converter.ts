import type { ConversionReview } from '@apiserver/api/apiextensions/v1';
import { formatGroupVersionKind, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { hasMoreValues, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { messageOf, plainFailure } from '@apiserver/apimachinery/errors';
import { isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { cutText } from '@apiserver/apimachinery/text';
import { inSpan } from '@apiserver/apiserver-contracts';
import type { WebhookClient } from '@apiserver/webhook';
import { ConversionBatches } from './conversion-batches.js';
import type { ConversionFailure, ConversionMetrics } from './conversion-metrics.js';
import { conversionReview, convertedObjectsOf, newConversionDecoder, reviewVersionOf } from './conversion-review.js';
import { identityFault, restoredMetadataSteps } from './converted-object.js';
import type { ObjectConverter } from './object-converter.js';

/** A call has at most this many objects and bytes, unless one object is larger. */
const BOUNDS = { items: 500, bytes: 2 ** 20, calls: 8 };
/** Values of a response: an object has at most 275,000. Upstream has no such bound. */
const MAX_VALUES = 300_000;
/** UTF-16 units of a message, which may show an object. Upstream has no such bound. */
const MAX_MESSAGE = 256 * 1024;
/** Calls that look for the objects of a failed batch that can be converted. */
const MAX_SPLITS = 32;
const INVALID_OBJECT: ConversionFailure = 'conversion_webhook_invalid_converted_object_failure';

/** Dependencies of the converter of one definition. */
export interface WebhookConverterOptions {
  /** The name of the definition. */
  readonly definition: string;
  readonly conversionReviewVersions: readonly string[];
  /** The client; made for the first conversion. */
  readonly client: () => Promise<WebhookClient>;
  readonly newUid: () => string;
  readonly metrics: ConversionMetrics;
  /** Milliseconds. */
  readonly now: () => number;
}

/** The calls that remain for a batch. */
interface Splits {
  left: number;
}

class ConversionFault extends Error {
  readonly failure: ConversionFailure;
  /** True if the fault may be that of one object. */
  readonly isSplittable: boolean;

  constructor(failure: ConversionFailure, message: string, isSplittable = false) {
    super(cutText(message, MAX_MESSAGE));
    this.failure = failure;
    this.isSplittable = isSplittable;
  }
}

/**
 * Converts by a webhook, many objects in one call. If a call fails for many objects, its halves are tried, so that one
 * bad object does not affect the others.
 * Upstream: webhookConverter of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go
 */
export class WebhookConverter implements ObjectConverter {
  readonly #options: WebhookConverterOptions;
  readonly #decoder = newConversionDecoder();
  readonly #batches: ConversionBatches<KubeObject, KubeObject>;

  constructor(options: WebhookConverterOptions) {
    this.#options = options;
    this.#batches = new ConversionBatches(BOUNDS, (key, objects) => this.#startBatch(key, objects));
  }

  convert(object: KubeObject, apiVersion: string, bytes: number): KubeObject | Promise<KubeObject> {
    if (object.apiVersion === apiVersion) return object;
    return this.#batches.add(`${object.apiVersion} ${apiVersion}`, { value: object, bytes });
  }

  readonly throughWebhook = (object: KubeObject, apiVersion: string): KubeObject | Promise<KubeObject> =>
    this.convert(object, apiVersion, 0);

  #startBatch(key: string, objects: readonly KubeObject[]): readonly Promise<KubeObject>[] {
    const apiVersion = key.slice(key.indexOf(' ') + 1);
    const results = this.#convertAll(objects, apiVersion, { left: MAX_SPLITS });
    return objects.map(async (_, i) => {
      const result = (await results)[i];
      if (result === undefined || result instanceof ConversionFault) throw plainFailure(500, result?.message ?? '');
      return result;
    });
  }

  async #convertAll(
    objects: readonly KubeObject[],
    apiVersion: string,
    splits: Splits,
  ): Promise<readonly (KubeObject | ConversionFault)[]> {
    try {
      return await this.#call(objects, apiVersion);
    } catch (error) {
      if (!(error instanceof ConversionFault)) throw error;
      if (!error.isSplittable || objects.length === 1 || splits.left < 2) return objects.map(() => error);
      splits.left -= 2;
      const middle = objects.length >> 1;
      const first = await this.#convertAll(objects.slice(0, middle), apiVersion, splits);
      return [...first, ...(await this.#convertAll(objects.slice(middle), apiVersion, splits))];
    }
  }

  async #call(objects: readonly KubeObject[], apiVersion: string): Promise<readonly (KubeObject | ConversionFault)[]> {
    const { definition, metrics, now } = this.#options;
    const started = now();
    const from = objects[0]?.apiVersion ?? '';
    let failure: ConversionFailure | undefined;
    try {
      const converted = await this.#review(objects, apiVersion);
      const results = await inSlices(checkedSteps(objects, converted, apiVersion));
      failure = results.find((result) => result instanceof ConversionFault)?.failure;
      return results;
    } catch (error) {
      if (error instanceof ConversionFault) failure = error.failure;
      throw error;
    } finally {
      const seconds = (now() - started) / 1000;
      metrics({ definition, from: versionOf(from), to: versionOf(apiVersion), seconds, failure });
    }
  }

  async #review(objects: readonly KubeObject[], desiredAPIVersion: string): Promise<readonly unknown[]> {
    const { conversionReviewVersions, client, definition, newUid } = this.#options;
    const version = reviewVersionOf(conversionReviewVersions);
    if (version === undefined) throw plainFailure(500, 'no supported conversion review versions');
    const webhook = `conversion webhook for ${kindText(objects[0])}`;
    const uid = newUid();
    let review: ConversionReview;
    try {
      const request = conversionReview(version, { uid, desiredAPIVersion, objects });
      const text = await tracedCall({ definition, desiredAPIVersion, uid, count: objects.length }, async (headers) =>
        (await client()).post(stringifyJson(request), headers && { headers }),
      );
      if (hasMoreValues(Buffer.from(text), MAX_VALUES)) {
        const message = `${webhook} failed: the response has more than ${MAX_VALUES} values`;
        throw new ConversionFault('conversion_webhook_malformed_response_failure', message, true);
      }
      review = await this.#decoder.decode(text, version);
    } catch (error) {
      if (error instanceof ConversionFault) throw error;
      throw new ConversionFault('conversion_webhook_call_failure', `${webhook} failed: ${messageOf(error)}`);
    }
    const response = convertedObjectsOf(review, { version, uid });
    if ('fault' in response) {
      const message = `${webhook} failed: ${response.fault}`;
      throw new ConversionFault('conversion_webhook_malformed_response_failure', message, true);
    }
    const { length } = response.objects;
    if (length !== objects.length) {
      const message = `${webhook} returned ${length} objects, expected ${objects.length}`;
      throw new ConversionFault('conversion_webhook_partial_response_failure', message, true);
    }
    return response.objects;
  }
}

interface TracedCall {
  readonly definition: string;
  readonly desiredAPIVersion: string;
  readonly uid: string;
  readonly count: number;
}

/**
 * Passes the headers on by which the webhook continues the trace. A call for several requests is part of one of them.
 */
function tracedCall(
  { definition, desiredAPIVersion, uid, count }: TracedCall,
  post: (headers: Readonly<Record<string, string>> | undefined) => Promise<string>,
): Promise<string> {
  const attributes = () => ({
    'custom-resource-definition': definition,
    'desired-api-version': desiredAPIVersion,
    'object-count': count,
    UID: uid,
  });
  return inSpan({ name: 'Call conversion webhook', attributes }, async (span) => {
    const call = {
      name: 'HTTP POST',
      type: 'httpCall',
      attributes: () => ({ 'http.request.method': 'POST' }),
    } as const;
    const text = await inSpan(call, (calling) => post(calling?.headers));
    span?.addEvent('Request completed');
    return text;
  });
}

function* checkedSteps(
  originals: readonly KubeObject[],
  converted: readonly unknown[],
  apiVersion: string,
): Generator<void, readonly (KubeObject | ConversionFault)[]> {
  const results: (KubeObject | ConversionFault)[] = [];
  for (const [i, original] of originals.entries()) {
    results.push(yield* checkedObjectSteps(original, converted[i], apiVersion));
    yield;
  }
  return results;
}

/** The converted object with its metadata restored, or its fault. */
function* checkedObjectSteps(
  original: KubeObject,
  value: unknown,
  apiVersion: string,
): Generator<void, KubeObject | ConversionFault> {
  const fail = (text: string) =>
    new ConversionFault(INVALID_OBJECT, `conversion webhook for ${kindText(original)} returned ${text}`);
  if (!isMembers(value)) return new ConversionFault(INVALID_OBJECT, undecodableText(value));
  const { apiVersion: got = '', kind = '' } = value;
  if (kind === '' || tryParseGroupVersion(String(got)) === undefined) {
    return new ConversionFault(INVALID_OBJECT, `Object 'Kind' is missing in '${stringifyJson(value)}'`);
  }
  if (got !== apiVersion) {
    const versions = `expected ${apiVersion}, received ${String(got)}`;
    return fail(`invalid object at index 0: invalid groupVersion (${versions})`);
  }
  if (kind !== original.kind) {
    return fail(`invalid object at index 0: invalid kind (expected ${original.kind}, received ${String(kind)})`);
  }
  const changed = identityFault(original, value);
  if (changed !== undefined) return fail(`invalid object: ${changed}`);
  const metadata = yield* restoredMetadataSteps(original, value);
  if ('fault' in metadata) return fail(`invalid metadata: ${metadata.fault}`);
  return { ...value, apiVersion, kind: original.kind, metadata: metadata.value };
}

/** Go's error for a converted object that is not an object. Upstream: UnmarshalJSON of Unstructured; null is empty */
function undecodableText(value: unknown): string {
  if (value === null || value === undefined) return 'unexpected end of JSON input';
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
}

function kindText(object: KubeObject | undefined): string {
  const { apiVersion = '', kind = '' } = object ?? {};
  return formatGroupVersionKind({ ...(tryParseGroupVersion(apiVersion) ?? { group: '', version: '' }), kind });
}

function versionOf(apiVersion: string): string {
  return tryParseGroupVersion(apiVersion)?.version ?? '';
}
