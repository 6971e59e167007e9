import type { SeccompProfile } from '@apiserver/api/core/v1';
import { quote } from '@apiserver/apimachinery/text';
import { type Check, exceptOnWindows, type FindViolation } from '../check.js';
import { type CheckedPod, containersOf, namesWhere, settersOf } from '../pod-containers.js';
import { forbiddenProfileType } from '../profile-type.js';
import { named, plural, quoted, sorted } from '../violation.js';

/** Annotations from before seccomp had fields. */
const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_ANNOTATION_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';

const REASON = 'seccompProfile';

interface WithProfile {
  readonly seccompProfile?: SeccompProfile;
}

const badAnnotations: FindViolation = (pod) => {
  const annotations = pod.metadata?.annotations;
  if (annotations === undefined) return undefined;
  const keys = [POD_ANNOTATION, ...containersOf(pod).map(({ name }) => CONTAINER_ANNOTATION_PREFIX + name)];
  const bad = keys.flatMap((key) => {
    const value = annotations[key];
    return value === undefined || isAllowedAnnotation(value) ? [] : `${key}=${quote(value)}`;
  });
  if (bad.length === 0) return undefined;
  const listed = sorted(bad);
  return { reason: REASON, detail: `forbidden ${plural('annotation', listed.length)} ${listed.join(', ')}` };
};

function isAllowedAnnotation(profile: string): boolean {
  return profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');
}

const badProfiles: FindViolation = (pod) => {
  const { securityContext } = pod.spec;
  const containers = namesWhere(pod, (container) => badTypeOf(container.securityContext) !== undefined);
  const setters = settersOf(badTypeOf(securityContext) !== undefined, containers);
  if (setters.length === 0) return undefined;
  const contexts = [securityContext, ...containersOf(pod).map((container) => container.securityContext)];
  const types = sorted(contexts.flatMap((context) => badTypeOf(context) ?? []));
  const detail = `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(types)}`;
  return { reason: REASON, detail };
};

function badTypeOf(context: WithProfile | undefined): string | undefined {
  return forbiddenProfileType(context?.seccompProfile);
}

const badOrMissingProfiles: FindViolation = (pod) => badProfiles(pod) ?? missingProfiles(pod);

/** Only for pods without bad profiles. */
function missingProfiles(pod: CheckedPod) {
  if (pod.spec.securityContext?.seccompProfile) return undefined;
  const containers = namesWhere(pod, ({ securityContext }) => !securityContext?.seccompProfile);
  if (containers.length === 0) return undefined;
  const wanted = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: REASON, detail: `pod or ${named('container', containers)} ${wanted}` };
}

/** Forbids to disable seccomp. */
export const baselineSeccompProfile: Check = {
  replacedSince: 19,
  revisions: [
    { since: 0, find: badAnnotations },
    { since: 19, find: badProfiles },
  ],
};

/** Requires a profile of the runtime or the host. */
export const restrictedSeccompProfile: Check = {
  revisions: [
    { since: 19, find: badOrMissingProfiles },
    { since: 25, find: exceptOnWindows(badOrMissingProfiles) },
  ],
};
