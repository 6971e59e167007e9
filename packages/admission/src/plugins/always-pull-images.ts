import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { aggregateMessages, FieldPath, fieldErrorMessage, fieldNotSupported } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { allContainers } from '@apiserver/resource-kit/pods';
import { admittedObject, storedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';

const ALWAYS = 'Always';

/**
 * Forces every image to be pulled, so that a pod cannot run an image for which it lacks the credentials.
 * Upstream: plugin/pkg/admission/alwayspullimages
 */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: handlesMain(PODS, 'CREATE', 'UPDATE'),
    admit(attributes) {
      const { spec } = admittedObject<Pod>(attributes);
      if (hasNoNewImages(attributes)) return;
      for (const container of allContainers(spec)) container.imagePullPolicy = ALWAYS;
      for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = ALWAYS;
    },
    validate(attributes) {
      const { spec } = admittedObject<Pod>(attributes);
      if (hasNoNewImages(attributes)) return;
      const messages = [...pullPolicies(spec)].flatMap(([policy, path]) =>
        policy === ALWAYS ? [] : [fieldErrorMessage(fieldNotSupported(path, policy, [ALWAYS]))],
      );
      if (messages.length === 0) return;
      // Upstream aggregates several refusals into an error that is no Status.
      const refusals = messages.map((message) => newAdmissionForbidden(attributes, message).message);
      throw plainFailure(500, aggregateMessages(refusals));
    },
  };
}

/** Skips updates without a new image, so that older pods can still be changed. */
function hasNoNewImages(attributes: AdmissionAttributes): boolean {
  if (attributes.operation !== 'UPDATE') return false;
  const old = storedObject<Pod>(attributes);
  if (old === undefined) return false;
  const known = new Set(images(old.spec));
  return [...images(admittedObject<Pod>(attributes).spec)].every((image) => known.has(image));
}

function* images(spec: PodSpec): Generator<string> {
  for (const { image } of allContainers(spec)) yield image ?? '';
  for (const { image } of spec.volumes ?? []) if (image !== undefined) yield image.reference ?? '';
}

function* pullPolicies(spec: PodSpec): Generator<readonly [string, FieldPath]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [i, { imagePullPolicy = '' }] of (spec[list] ?? []).entries()) {
      yield [imagePullPolicy, FieldPath.of('spec', list).index(i).child('imagePullPolicy')];
    }
  }
  for (const [i, { image }] of (spec.volumes ?? []).entries()) {
    if (image === undefined) continue;
    yield [image.pullPolicy ?? '', FieldPath.of('spec', 'volumes').index(i).child('image', 'pullPolicy')];
  }
}
