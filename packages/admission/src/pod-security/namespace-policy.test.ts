import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { formatLevelVersion, isPolicyVersion, LATEST, type LevelVersion } from './level-version.js';
import { areEquivalentPolicies, isFullyPrivileged, type NamespacePolicy, resolvePolicy } from './namespace-policy.js';

const PRIVILEGED: LevelVersion = { level: 'privileged', version: LATEST };
const DEFAULTS: NamespacePolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };
const BASELINE: NamespacePolicy = { ...DEFAULTS, warn: { level: 'baseline', version: 'v1.20' } };

function resolved(labels: Record<string, string>, defaults = DEFAULTS) {
  const prefixed = Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value]);
  const { policy, errors } = resolvePolicy(Object.fromEntries(prefixed), defaults);
  const modes = [policy.enforce, policy.audit, policy.warn].map(formatLevelVersion).join(' ');
  return [modes, ...errors.map(fieldErrorMessage)];
}

const LEVELS = 'must be one of privileged, baseline, restricted';
const errorOf = (label: string, value: string, problem: string) =>
  `metadata.labels[pod-security.kubernetes.io/${label}]: Invalid value: "${value}": ${problem}`;

it.each<[string, Record<string, string>, NamespacePolicy, readonly string[]]>([
  ['no labels', {}, DEFAULTS, ['privileged:latest privileged:latest privileged:latest']],
  ['other defaults', {}, BASELINE, ['privileged:latest privileged:latest baseline:v1.20']],
  [
    'warn follows enforce',
    { enforce: 'restricted', 'enforce-version': 'v1.30' },
    DEFAULTS,
    ['restricted:v1.30 privileged:latest restricted:v1.30'],
  ],
  [
    'warn keeps its own version',
    { enforce: 'restricted', 'warn-version': 'v1.20' },
    DEFAULTS,
    ['restricted:latest privileged:latest restricted:v1.20'],
  ],
  [
    'warn keeps its own level',
    { enforce: 'restricted', warn: 'privileged' },
    DEFAULTS,
    ['restricted:latest privileged:latest privileged:latest'],
  ],
  [
    'warn keeps a default as strict',
    { enforce: 'baseline' },
    BASELINE,
    ['baseline:latest privileged:latest baseline:v1.20'],
  ],
  [
    'bad levels',
    { enforce: 'Baseline', audit: 'x', warn: '' },
    DEFAULTS,
    [
      'restricted:latest privileged:latest privileged:latest',
      ...[errorOf('enforce', 'Baseline', LEVELS), errorOf('audit', 'x', LEVELS), errorOf('warn', '', LEVELS)],
    ],
  ],
  [
    'a bad version',
    { audit: 'baseline', 'audit-version': 'v2.0' },
    DEFAULTS,
    [
      'privileged:latest baseline:latest privileged:latest',
      errorOf('audit-version', 'v2.0', 'must be "latest" or "v1.x"'),
    ],
  ],
])('resolves labels: %s', (_, labels, defaults, expected) => {
  expect(resolved(labels, defaults)).toEqual(expected);
});

it.each([
  ['latest', true],
  ['v1.0', true],
  ['v1.999', true],
  ['v1.9223372036854775807', true],
  ['v1.9223372036854775808', false],
  ['v1.01', false],
  ['v1', false],
  ['1.2', false],
  ['v1.2.3', false],
  ['v1.2\n', false],
])('reports whether %j is a version: %j', (text, isVersion) => {
  expect(isPolicyVersion(text)).toBe(isVersion);
});

it('compares policies by their effect', () => {
  const older = { ...DEFAULTS, audit: { level: 'privileged', version: 'v1.1' } } as const;
  expect([isFullyPrivileged(older), areEquivalentPolicies(older, DEFAULTS)]).toEqual([true, true]);
  expect([isFullyPrivileged(BASELINE), areEquivalentPolicies(BASELINE, DEFAULTS)]).toEqual([false, false]);
});
