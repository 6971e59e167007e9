import type { Pod } from '@apiserver/api/core/v1';
import type { ImageReviewSpec, ImageReviewStatus } from '@apiserver/api/imagepolicy/v1alpha1';
import { boundedByText, ExpiringCache } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { boundedKey } from '../../bounded-key.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies, ReviewSender } from '../../plugin-definition.js';
import { type ImagePolicyConfiguration, imagePolicyConfiguration } from './image-policy-configuration.js';

const EPHEMERAL_CONTAINERS = 'ephemeralcontainers';
/** Annotations with this in their key reach the webhook. */
const ANNOTATION_PART = '.image-policy.k8s.io/';
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/';
/** Reviews that are kept. Upstream: cache.NewLRUExpireCache in NewImagePolicyWebhook */
const MAX_REVIEWS = 1024;
/** Characters of all kept reviews. Upstream has no such bound. */
const MAX_KEPT = 32 * 2 ** 20;

type Dependencies = Pick<AdmissionPluginDependencies, 'clock' | 'configuration' | 'reviewWebhook'>;

/**
 * Lets a webhook decide on the images of pods.
 * Upstream: plugin/pkg/admission/imagepolicy
 */
export function imagePolicyWebhook(dependencies: Dependencies): AdmissionPlugin {
  const configuration = imagePolicyConfiguration(dependencies.configuration);
  const reviewer = new ImageReviewer(configuration, dependencies);
  return {
    name: 'ImagePolicyWebhook',
    handles: (operation, { resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      isResource(resource, PODS) &&
      (subresource === '' || subresource === EPHEMERAL_CONTAINERS),
    async validate(attributes) {
      const { allowed, reason, auditAnnotations = {} } = await reviewer.review(attributes);
      for (const [key, value] of Object.entries(auditAnnotations)) attributes.addAnnotation(AUDIT_PREFIX + key, value);
      if (allowed) return;
      const fault = reason
        ? `image policy webhook backend denied one or more images: ${reason}`
        : 'one or more images rejected by webhook backend';
      throw newAdmissionForbidden(attributes, fault);
    },
  };
}

/** Asks the webhook, and keeps its reviews for a time. */
class ImageReviewer {
  readonly #configuration: ImagePolicyConfiguration;
  readonly #send: ReviewSender;
  readonly #reviews: ExpiringCache<ImageReviewStatus>;

  constructor(configuration: ImagePolicyConfiguration, { clock, reviewWebhook }: Dependencies) {
    const { kubeConfigFile: configFile, retryBackoff } = configuration;
    this.#configuration = configuration;
    this.#send = reviewWebhook({ configFile, retryBackoff });
    this.#reviews = new ExpiringCache(clock, MAX_REVIEWS, boundedByText(MAX_KEPT));
  }

  /** Throws 403 if there is no review, unless the configuration admits such pods. */
  async review(attributes: AdmissionAttributes): Promise<ImageReviewStatus> {
    const spec = imageReviewSpecOf(attributes);
    const key = boundedKey(JSON.stringify(spec));
    const kept = this.#reviews.get(key);
    if (kept !== undefined) return kept;
    try {
      const status = await this.#ask(spec, attributes.signal);
      const { allowTtl, denyTtl } = this.#configuration;
      this.#reviews.set(key, status, status.allowed ? allowTtl : denyTtl);
      return status;
    } catch (error) {
      if (!this.#configuration.defaultAllow) throw newAdmissionForbidden(attributes, error);
      return { allowed: true, auditAnnotations: { 'failed-open': 'true' } };
    }
  }

  #ask(spec: ImageReviewSpec, signal: AbortSignal): Promise<ImageReviewStatus> {
    const apiVersion = 'imagepolicy.k8s.io/v1alpha1';
    return this.#send({ kind: 'ImageReview', apiVersion, metadata: {}, spec, status: { allowed: false } }, signal);
  }
}

function imageReviewSpecOf(attributes: AdmissionAttributes): ImageReviewSpec {
  const { metadata, spec } = admittedObject<Pod>(attributes);
  const containers =
    attributes.subresource === EPHEMERAL_CONTAINERS
      ? (spec.ephemeralContainers ?? [])
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(ANNOTATION_PART));
  // Equal reviews are written alike.
  annotations.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(containers.length > 0 && { containers: containers.map(({ image }) => (image ? { image } : {})) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(attributes.namespace !== '' && { namespace: attributes.namespace }),
  };
}
