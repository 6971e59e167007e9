import type { AppArmorProfile } from '@apiserver/api/core/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { Check } from '../check.js';
import { type CheckedPod, containersOf, namesWhere, settersOf } from '../pod-containers.js';
import { forbiddenProfileType } from '../profile-type.js';
import { plural, quoted, sorted } from '../violation.js';

/** Annotations from before AppArmor had fields. */
const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

interface WithProfile {
  readonly appArmorProfile?: AppArmorProfile;
}

/** Forbids to disable AppArmor. */
export const appArmorProfile: Check = {
  revisions: [
    {
      since: 0,
      find: (pod) => {
        const { securityContext } = pod.spec;
        const containers = namesWhere(pod, (container) => badTypeOf(container.securityContext) !== undefined);
        const annotations = badAnnotations(pod);
        const setters = [...settersOf(badTypeOf(securityContext) !== undefined, containers)];
        if (annotations.length > 0) setters.push(plural('annotation', annotations.length));
        if (setters.length === 0) return undefined;
        const contexts = [securityContext, ...containersOf(pod).map((container) => container.securityContext)];
        const values = [...sorted(contexts.flatMap((context) => badTypeOf(context) ?? [])), ...annotations];
        return {
          reason: plural('forbidden AppArmor profile', values.length),
          detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
        };
      },
    },
  ],
};

function badTypeOf(context: WithProfile | undefined): string | undefined {
  return forbiddenProfileType(context?.appArmorProfile);
}

function badAnnotations({ metadata }: CheckedPod): readonly string[] {
  const annotations = Object.entries(metadata?.annotations ?? {});
  const bad = annotations.filter(([key, value]) => key.startsWith(ANNOTATION_PREFIX) && !isAllowed(value));
  return sorted(bad.map(([key, value]) => `${key}=${quote(value)}`));
}

function isAllowed(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}
