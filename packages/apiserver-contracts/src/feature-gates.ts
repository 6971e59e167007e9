/**
 * The enabled features of this process, by upstream's names. Upstream: k8s.io/component-base/featuregate.FeatureGate
 */
export interface FeatureGates {
  /** Throws a TypeError for an unknown name, which is a programming error. */
  enabled(name: string): boolean;
}
