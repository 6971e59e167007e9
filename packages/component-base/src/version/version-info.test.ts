import { expect, it } from 'vitest';
import { emulatingVersion, versionInfo } from './version-info.js';

it('is that of the API level and of the build', () => {
  const date = '2030-01-02T03:04:05Z';
  const { platform, ...info } = versionInfo({ packageVersion: '0.1.0', commit: 'abc', treeState: 'clean', date });
  expect(Object.entries(info)).toEqual([
    ['major', '1'],
    ['minor', '36'],
    ['emulationMajor', '1'],
    ['emulationMinor', '36'],
    ['minCompatibilityMajor', '1'],
    ['minCompatibilityMinor', '35'],
    ['gitVersion', 'v1.36.0+apiserver.0.1.0'],
    ['gitCommit', 'abc'],
    ['gitTreeState', 'clean'],
    ['buildDate', date],
    ['goVersion', `node${process.versions.node}`],
    ['compiler', 'gc'],
  ]);
  expect(platform).toMatch(/^(linux|darwin|windows)\/(amd64|arm64)$/);
});

it('has no facts of an unknown build', () => {
  const { gitCommit, gitTreeState, buildDate } = versionInfo({ packageVersion: '0.1.0' });
  expect([gitCommit, gitTreeState, buildDate]).toEqual(['', '', '1970-01-01T00:00:00Z']);
});

it('names an emulated release', () => {
  const version = versionInfo({ packageVersion: '0.1.0' });
  const { emulationMinor, minCompatibilityMinor, minor } = emulatingVersion(version, {
    emulationMinor: 35,
    minCompatibilityMinor: 34,
  });
  expect([minor, emulationMinor, minCompatibilityMinor]).toEqual(['36', '35', '34']);
});
