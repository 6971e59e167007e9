import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { applyPodDefaults } from '../core/pod/defaults.js';
import { validatePod } from '../core/pod/validation.js';
import { DEFAULT_POD_FEATURES, type PodFeatures } from '../core/pod-spec/pod-features.js';

const codec = compileKind(Pod);

/**
 * The faults of a new pod with defaults, each as in a message of the server. It has one container unless `spec` has
 * some.
 */
export function podFaults(spec: object, features: Partial<PodFeatures> = {}): readonly string[] {
  const metadata = { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const object = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
  codec.applyDefaults(object);
  const all = { ...DEFAULT_POD_FEATURES, ...features };
  applyPodDefaults(object, all);
  return validatePod(object, all).map((error) => aggregateFieldErrors([error]));
}
