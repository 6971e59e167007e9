import { type Check, exceptInUserNamespace, type FindViolation } from '../check.js';
import { namesWhere, settersOf } from '../pod-containers.js';
import { named } from '../violation.js';

const REASON = 'runAsNonRoot != true';

const notRequired: FindViolation = (pod) => {
  const onPod = pod.spec.securityContext?.runAsNonRoot;
  const roots = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const setters = settersOf(onPod === false, roots);
  if (setters.length > 0) {
    return { reason: REASON, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  }
  if (onPod === true) return undefined;
  const unset = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot !== true);
  if (unset.length === 0) return undefined;
  return { reason: REASON, detail: `pod or ${named('container', unset)} must set securityContext.runAsNonRoot=true` };
};

/** Requires users other than root; since 1.35 not in a user namespace. */
export const runAsNonRoot: Check = {
  revisions: [
    { since: 0, find: notRequired },
    { since: 35, find: exceptInUserNamespace(notRequired) },
  ],
};
