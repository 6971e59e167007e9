import { readFileSync } from 'node:fs';
import { DEFAULT_POD_FEATURES, podFeatures } from '@apiserver/builtin-resources';
import { expect, it } from 'vitest';
import { featureDependencies } from './feature-dependencies.js';
import { createKubeFeatureGate, FOLLOWING_EMULATION, SWITCHABLE, unbuiltFeatures } from './kube-feature-gate.js';
import { serverFeatures } from './server-features.js';

/** A gate with the gates that must be switched with it. */
function switched(name: string, on: boolean): readonly string[] {
  const needs = featureDependencies[name] ?? [];
  const needed = Object.entries(featureDependencies).flatMap(([one, of]) => (of.includes(name) ? [one] : []));
  return [name, ...(on ? needs : needed)].map((one) => `${one}=${on}`);
}

it('has the default features of pods', () => {
  expect(podFeatures(createKubeFeatureGate())).toEqual(DEFAULT_POD_FEATURES);
});

const switchable = Object.entries(DEFAULT_POD_FEATURES).filter(([name]) => !FOLLOWING_EMULATION.has(name));
it.each(switchable)('%s of pods can be switched from %j', (name, isDefault) => {
  const gate = createKubeFeatureGate();
  gate.set(switched(name, !isDefault).join(','));
  expect(unbuiltFeatures(gate)).toEqual([]);
});

/**
 * The gates in the first column of the table with this heading, as written: "`A`, `B` on, `C` off" gives A=on, B=on,
 * C=off.
 */
function documentedGates(heading: string): readonly string[] {
  const document = readFileSync(new URL('../../../../docs/status.md', import.meta.url), 'utf8');
  const [, table = ''] = document.split(`\n| ${heading} |`);
  const [, , ...rows] = table.split('\n\n', 1)[0]?.split('\n') ?? [];
  const groups = rows.flatMap((row) => [...(row.split(' | ', 1)[0] ?? '').matchAll(/((?:`\w+`[, ]*)+)(on|off)?/g)]);
  return groups
    .flatMap(([, names = '', state = '']) => [...names.matchAll(/\w+/g)].map(([name]) => `${name}=${state}`))
    .sort();
}

/** The gates of the server that are not locked, with the state that is not their default. */
function unlockedGates() {
  const own = createKubeFeatureGate()
    .states()
    .filter(({ name }) => Object.hasOwn(serverFeatures, name));
  return own.filter(({ name, default: isDefault }) => {
    try {
      createKubeFeatureGate().set(switched(name, !isDefault).join(','));
      return true;
    } catch (error) {
      if (/locked to/.test(String(error))) return false;
      throw error;
    }
  });
}

it('does with each unlocked gate what docs/status.md says', () => {
  const isFixed = (name: string, state: boolean) => {
    const gate = createKubeFeatureGate();
    gate.set(switched(name, state).join(','));
    return unbuiltFeatures(gate).some((message) => new RegExp(`\\b${name}=`).test(message));
  };
  const gates = unlockedGates().map(({ name, default: isDefault }) => ({ name, state: !isDefault }));
  const [fixed, switchable] = [true, false].map((is) => gates.filter(({ name, state }) => isFixed(name, state) === is));
  expect(documentedGates('gate that can be switched')).toEqual(
    switchable?.map(({ name, state }) => `${name}=${state ? 'on' : 'off'}`).sort(),
  );
  expect(documentedGates('gate that keeps its default')).toEqual(fixed?.map(({ name }) => `${name}=`).sort());
});

/** Gates whose state at 1.35 needs no code, with the reason. */
const UNSEEN_AT_1_35: Readonly<Record<string, string>> = {
  DeclarativeValidationBeta: 'the rules of this stage are those of the code that it replaces',
  ResourceHealthStatusMessage: 'ResourceHealthStatus is off, so that the field around the message is dropped',
};

it('has code for each state of 1.35 that is not that of 1.36', () => {
  const old = createKubeFeatureGate();
  old.emulate({ minor: 35, minCompatibilityMinor: 34 });
  const states = createKubeFeatureGate().states();
  const changed = states.filter(
    ({ name, enabled }) => Object.hasOwn(serverFeatures, name) && old.enabled(name) !== enabled,
  );
  const unbuilt = changed.filter(({ name }) => !SWITCHABLE.has(name) && !FOLLOWING_EMULATION.has(name));
  expect(unbuilt.map(({ name }) => name)).toEqual(Object.keys(UNSEEN_AT_1_35));
  expect(changed.map(({ name }) => name)).toContain('StrictIPCIDRValidation');
});
