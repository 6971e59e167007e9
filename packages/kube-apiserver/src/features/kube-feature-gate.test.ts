import { DEFAULT_POD_FEATURES, podFeatures } from '@apiserver/builtin-resources';
import { expect, it } from 'vitest';
import { featureDependencies } from './feature-dependencies.js';
import { createKubeFeatureGate, unbuiltFeatures } from './kube-feature-gate.js';

/** A gate with the gates that must be switched with it. */
function switched(name: string, on: boolean): readonly string[] {
  const needs = featureDependencies[name] ?? [];
  const needed = Object.entries(featureDependencies).flatMap(([one, of]) => (of.includes(name) ? [one] : []));
  return [name, ...(on ? needs : needed)].map((one) => `${one}=${on}`);
}

it('has the default features of pods', () => {
  expect(podFeatures(createKubeFeatureGate())).toEqual(DEFAULT_POD_FEATURES);
});

it.each(Object.entries(DEFAULT_POD_FEATURES))('%s of pods can be switched from %j', (name, isDefault) => {
  const gate = createKubeFeatureGate();
  gate.set(switched(name, !isDefault).join(','));
  expect(unbuiltFeatures(gate)).toEqual([]);
});
