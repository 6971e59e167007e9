/** Which features are on in this process. Asked by name, as upstream spells it. Upstream: k8s.io/component-base/featuregate.FeatureGate */
export interface FeatureGates {
  /** Throws a TypeError for a name that is no gate: a mistake in the code that asks. */
  enabled(name: string): boolean;
}
