import { ParseError } from '@apiserver/apimachinery/text';
import { describe, expect, it } from 'vitest';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { FeatureGate } from './feature-gate.js';
import { addFeatureMetrics } from './feature-metrics.js';
import { parseFeatureHistory } from './versioned-specs.js';

const create = () =>
  new FeatureGate({
    minor: 36,
    table: {
      Young: 'alpha 1.36',
      Tried: 'alpha 1.30, beta 1.33 on',
      Shy: 'beta 1.36',
      Done: 'beta 1.30 on, ga 1.35 on',
      Locked: 'alpha 1.30, ga 1.36 on locked',
      Leaving: 'ga 1.0 on, deprecated 1.33',
      Coming: 'alpha 1.37',
      Needy: 'beta 1.36 on',
    },
    dependencies: { Needy: ['Tried'] },
  });
const states = (gate: FeatureGate) => Object.fromEntries(gate.states().map(({ name, enabled }) => [name, enabled]));
const defaults = {
  AllAlpha: false,
  AllBeta: false,
  Done: true,
  Leaving: false,
  Locked: true,
  Needy: true,
  Shy: false,
  Tried: true,
  Young: false,
};

describe('FeatureGate', () => {
  it('has the defaults of its release', () => expect(states(create())).toEqual(defaults));

  it.each([
    ['', {}],
    ['Young=true', { Young: true }],
    [' Young = 1 , Shy=T', { Young: true, Shy: true }],
    ['AllAlpha=true', { AllAlpha: true, Young: true }],
    ['Shy=false,AllBeta=true', { AllBeta: true }],
    ['Needy=false,AllBeta=false', { Needy: false, Tried: false }],
  ])('takes %j', (text, changes) => {
    const gate = create();
    expect(gate.set(text)).toEqual([]);
    expect(states(gate)).toEqual({ ...defaults, ...changes });
  });

  it.each([
    ['Young', 'missing bool value for Young'],
    ['Young=perhaps', 'invalid value of Young=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax'],
    ['Odd=true', 'unrecognized feature gate: Odd'],
    ['Coming=true', 'unrecognized feature gate: Coming'],
    ['Young=true,Locked=false', 'cannot set feature gate Locked to false, feature is locked to true'],
    [
      'Locked=false,Odd=true,Young=true',
      '[cannot set feature gate Locked to false, feature is locked to true, unrecognized feature gate: Odd]',
    ],
    ['Tried=false', 'Needy is enabled, but depends on features that are disabled: [Tried]'],
  ])('refuses %j and stays as it is', (text, message) => {
    const gate = create();
    expect(() => gate.set(text)).toThrow(new ParseError(message));
    expect(states(gate)).toEqual(defaults);
  });

  it('warns of gates that will go', () =>
    expect(create().set('Done=false,Locked=true,Leaving=true,Young=true')).toEqual([
      'Setting GA feature gate Done=false. It will be removed in a future release.',
      'Setting GA feature gate Locked=true. It will be removed in a future release.',
      'Setting deprecated feature gate Leaving=true. It will be removed in a future release.',
    ]));

  it('lists the configurable gates', () =>
    expect(create().knownFeatures()).toEqual([
      'AllAlpha=true|false (ALPHA - default=false)',
      'AllBeta=true|false (BETA - default=false)',
      'Needy=true|false (BETA - default=true)',
      'Shy=true|false (BETA - default=false)',
      'Tried=true|false (BETA - default=true)',
      'Young=true|false (ALPHA - default=false)',
    ]));

  it('only accepts known gates', () => {
    expect(create().enabled('Tried')).toBe(true);
    expect(() => create().enabled('Odd')).toThrow('feature "Odd" is not registered in FeatureGates');
  });

  it('refuses a table that is none', () =>
    expect(() => parseFeatureHistory('beta 1.3 off')).toThrow('beta 1.3 off is no entry of a feature gate'));

  it('reports enabled gates to metrics', async () => {
    const registry = new MetricsRegistry();
    addFeatureMetrics(registry, create());
    const { text } = await registry.expose();
    const lines = text.split('\n').filter((line) => /Done|Young/.test(line));
    expect(lines).toEqual([
      'kubernetes_feature_enabled{name="Done",stage=""} 1',
      'kubernetes_feature_enabled{name="Young",stage="ALPHA"} 0',
    ]);
  });
});

describe('an emulated release', () => {
  const emulating = () => {
    const gate = create();
    gate.emulate({ minor: 35, minCompatibilityMinor: 34 });
    return gate;
  };

  it('has its own defaults and locks, and no later gates', () => {
    const gate = emulating();
    expect(states(gate)).toEqual({
      AllAlpha: false,
      AllBeta: false,
      Done: true,
      Leaving: false,
      Locked: false,
      Tried: true,
    });
    expect(['Young', 'Shy', 'Needy'].map((name) => gate.enabled(name))).toEqual([false, false, false]);
    expect(gate.set('Locked=true')).toEqual([]);
    expect(() => gate.enabled('Coming')).toThrow(TypeError);
  });

  it.each([
    [
      'Young=false',
      'cannot set feature gate Young to false, feature is PreAlpha at emulated version 1.35, min compatibility version 1.34',
    ],
    ['Coming=true', 'unrecognized feature gate: Coming'],
  ])('refuses %s', (text, message) => expect(() => emulating().set(text)).toThrow(new ParseError(message)));
});
