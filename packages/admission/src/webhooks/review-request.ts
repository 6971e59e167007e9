import type { KubeObject } from '@apiserver/apimachinery';
import { compactJson } from '@apiserver/apimachinery/text';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';
import { admissionRequestHead } from '../admission-request-head.js';
import type { VersionedAttributes } from '../matching/versioned-request.js';
import { operationOptions } from '../operation-options.js';
import type { ReviewVersion } from './review-response.js';

/** The JSON texts of a request's objects. */
interface ObjectTexts {
  readonly object: string;
  readonly oldObject: string;
}

/** Builds the texts of reviews. The objects of a request are encoded once for each version. */
export class ReviewWriter {
  readonly #texts = new WeakMap<VersionedAttributes, ObjectTexts>();

  /**
   * The text of a review.
   * Upstream: CreateV1AdmissionReview of k8s.io/apiserver/pkg/admission/plugin/webhook/request
   */
  write(versioned: VersionedAttributes, uid: string, reviewVersion: ReviewVersion): string {
    const { attributes, version } = versioned;
    const { object, oldObject } = this.#textsOf(versioned);
    const head = JSON.stringify(admissionRequestHead(attributes, version, uid));
    // A grace period may be a bigint.
    const options = compactJson(operationOptions(attributes));
    const objects = `"object":${object},"oldObject":${oldObject},"dryRun":${attributes.dryRun},"options":${options}`;
    const request = `${head.slice(0, -1)},${objects}}`;
    return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${reviewVersion}","request":${request}}`;
  }

  #textsOf(versioned: VersionedAttributes): ObjectTexts {
    const known = this.#texts.get(versioned);
    if (known !== undefined) return known;
    const { version, object, oldObject } = versioned;
    const texts = { object: textOf(version, object), oldObject: textOf(version, oldObject) };
    this.#texts.set(versioned, texts);
    return texts;
  }
}

function textOf({ codec }: EndpointVersion, object: KubeObject | undefined): string {
  return object === undefined ? 'null' : Buffer.from(codec.encodeJson(object)).toString();
}
